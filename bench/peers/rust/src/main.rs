//! What a good engineer would write in Rust: the answers of Animal Store, byte for byte, from the same SQLite file.
//! One thread serves HTTP and reads; another one writes, and gives all creates that wait one commit.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::mpsc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LINK, LOCATION, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use axum::routing::get;
use axum::serve::ListenerExt;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use rusqlite::{Connection, Params, Row, Statement, params};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::sync::oneshot;

const CURSOR_BYTES: usize = 24;
/// What an entity tag keeps of its hash in base64url.
const TAG_CHARACTERS: usize = 22;

const PRAGMAS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000";

#[derive(Deserialize, Serialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Status {
    Available,
    Pending,
    Sold,
}

impl Status {
    fn from_text(text: &str) -> Self {
        match text {
            "available" => Self::Available,
            "pending" => Self::Pending,
            _ => Self::Sold,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Pending => "pending",
            Self::Sold => "sold",
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Animal {
    id: i64,
    name: String,
    category_id: i64,
    status: Status,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NewAnimal {
    name: String,
    category_id: i64,
    status: Option<Status>,
}

#[derive(Deserialize)]
struct PageQuery {
    limit: Option<usize>,
    status: Option<Status>,
    cursor: Option<String>,
}

/// The statements of the thread that serves HTTP.
struct Reader {
    begin: Statement<'static>,
    end: Statement<'static>,
    version: Statement<'static>,
    key: Statement<'static>,
    all: Statement<'static>,
    by_status: Statement<'static>,
    one: Statement<'static>,
    /// Keyed, and copied for each use.
    hmac: Hmac<Sha256>,
    /// Keys that were good when the file was at `seen`, and when they expire.
    known: HashMap<String, i64>,
    seen: i64,
}

thread_local! {
    static READER: RefCell<Option<Reader>> = const { RefCell::new(None) };
}

fn with_reader<Result>(work: impl FnOnce(&mut Reader) -> Result) -> Result {
    READER.with_borrow_mut(|reader| work(reader.as_mut().expect("opened at the start")))
}

impl Reader {
    fn open(file: &str) -> rusqlite::Result<Self> {
        let database: &'static Connection = Box::leak(Box::new(connect(file)?));
        let secret: Vec<u8> =
            database.query_one("SELECT value FROM secret WHERE name = 'cursor'", [], |row| {
                row.get(0)
            })?;
        let columns = "SELECT id, name, category_id, status FROM animal";
        // SQLite plans by the values of an equality and of a limit, and again for each; the plus keeps it from that.
        let page = "id > ? ORDER BY id LIMIT +?";
        Ok(Self {
            begin: database.prepare("BEGIN")?,
            end: database.prepare("COMMIT")?,
            version: database.prepare("PRAGMA data_version")?,
            key: database.prepare(
                "SELECT coalesce(min(revoked_at, expires_at), revoked_at, expires_at, 9e18)
                   FROM api_key WHERE hash = ?",
            )?,
            all: database.prepare(&format!("{columns} WHERE {page}"))?,
            by_status: database.prepare(&format!("{columns} WHERE status = +? AND {page}"))?,
            one: database.prepare(&format!("{columns} WHERE id = ?"))?,
            hmac: Hmac::new_from_slice(&secret).expect("a key of any length"),
            known: HashMap::new(),
            seen: 0,
        })
    }

    /// Reads for a caller whose key is good, in one transaction; `None`: it is not.
    fn read<T>(
        &mut self,
        headers: &HeaderMap,
        work: impl FnOnce(&mut Self) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Option<T>> {
        self.begin.raw_execute()?;
        let found = match self.knows(headers) {
            Ok(true) => work(self).map(Some),
            Ok(false) => Ok(None),
            Err(error) => Err(error),
        };
        self.end.raw_execute()?;
        found
    }

    fn knows(&mut self, headers: &HeaderMap) -> rusqlite::Result<bool> {
        let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let Some(key) = authorization.and_then(|value| value.strip_prefix("Bearer ")) else {
            return Ok(false);
        };
        let version = self.version.query_one([], |row| row.get(0))?;
        if version != self.seen {
            self.seen = version;
            self.known.clear();
        }
        let until = match self.known.get(key) {
            Some(until) => *until,
            None => {
                let hash = Sha256::digest(key);
                let mut rows = self.key.query([hash.as_slice()])?;
                let Some(row) = rows.next()? else { return Ok(false) };
                let until = row.get::<_, f64>(0)? as i64;
                self.known.insert(key.to_owned(), until);
                until
            }
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
        Ok((now.as_millis() as i64) < until)
    }

    fn page(&mut self, status: Option<Status>, after: i64, rows: usize) -> rusqlite::Result<Vec<Animal>> {
        match status {
            Some(status) => animals(&mut self.by_status, params![status.text(), after, rows as i64]),
            None => animals(&mut self.all, params![after, rows as i64]),
        }
    }

    fn signature(&self, after: i64, filter: &str) -> impl AsRef<[u8]> + use<> {
        let mut hmac = self.hmac.clone();
        hmac.update(format!("[\"listPets\",\"{filter}\",\"{after}\"]").as_bytes());
        hmac.finalize().into_bytes()
    }

    fn issue(&self, after: i64, filter: &str) -> String {
        let mut bytes = [0; CURSOR_BYTES];
        bytes[..8].copy_from_slice(&after.to_be_bytes());
        bytes[8..].copy_from_slice(&self.signature(after, filter).as_ref()[..CURSOR_BYTES - 8]);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    fn after(&self, cursor: &str, filter: &str) -> Option<i64> {
        let bytes: [u8; CURSOR_BYTES] = URL_SAFE_NO_PAD.decode(cursor).ok()?.try_into().ok()?;
        let after = i64::from_be_bytes(bytes[..8].try_into().ok()?);
        let signature = self.signature(after, filter);
        let wrong = bytes[8..]
            .iter()
            .zip(signature.as_ref())
            .fold(0, |all, (a, b)| all | (a ^ b));
        (wrong == 0).then_some(after)
    }
}

fn connect(file: &str) -> rusqlite::Result<Connection> {
    let database = Connection::open(file)?;
    database.execute_batch(PRAGMAS)?;
    Ok(database)
}

fn animals(statement: &mut Statement, values: impl Params) -> rusqlite::Result<Vec<Animal>> {
    statement.query_map(values, animal)?.collect()
}

fn animal(row: &Row) -> rusqlite::Result<Animal> {
    Ok(Animal {
        id: row.get(0)?,
        name: row.get(1)?,
        category_id: row.get(2)?,
        status: Status::from_text(row.get_ref(3)?.as_str()?),
    })
}

async fn list(Query(query): Query<PageQuery>, headers: HeaderMap) -> Response {
    let (limit, status) = (query.limit.unwrap_or(20), query.status);
    if !(1..=100).contains(&limit) {
        return refusal(StatusCode::BAD_REQUEST, "invalid_parameter");
    }
    let filter = status.map_or("", Status::text);
    with_reader(|reader| {
        let after = query
            .cursor
            .map_or(Some(0), |cursor| reader.after(&cursor, filter));
        let Some(after) = after else {
            return refusal(StatusCode::BAD_REQUEST, "invalid_parameter");
        };
        let mut animals = match reader.read(&headers, |reader| reader.page(status, after, limit + 1)) {
            Ok(Some(animals)) => animals,
            other => return refused(other),
        };
        let next = (animals.len() > limit).then(|| {
            animals.truncate(limit);
            let filter_query = status.map_or(String::new(), |status| format!("status={}&", status.text()));
            let cursor = reader.issue(animals[limit - 1].id, filter);
            format!("</v1/pets?limit={limit}&{filter_query}cursor={cursor}>; rel=\"next\"")
        });
        found(&headers, json(&animals), next)
    })
}

async fn one(Path(id): Path<i64>, headers: HeaderMap) -> Response {
    let read = with_reader(|reader| reader.read(&headers, |reader| animals(&mut reader.one, [id])));
    let mut response = match read {
        Ok(Some(animals)) => match animals.first() {
            Some(animal) => found(&headers, json(animal), None),
            None => refusal(StatusCode::NOT_FOUND, "animal_not_found"),
        },
        other => refused(other),
    };
    let headers = response.headers_mut();
    headers.insert("deprecation", HeaderValue::from_static("@1764892800"));
    headers.insert(
        "sunset",
        HeaderValue::from_static("Thu, 05 Dec 2030 00:00:00 GMT"),
    );
    headers.insert(
        LINK,
        HeaderValue::from_static("</v1/pets>; rel=\"successor-version\""),
    );
    response
}

type Create = (NewAnimal, oneshot::Sender<i64>);

async fn create(State(creates): State<mpsc::Sender<Create>>, headers: HeaderMap, body: Bytes) -> Response {
    match with_reader(|reader| reader.read(&headers, |_| Ok(()))) {
        Ok(Some(())) => {}
        other => return refused(other),
    }
    let Ok(new) = serde_json::from_slice::<NewAnimal>(&body) else {
        return refusal(StatusCode::BAD_REQUEST, "invalid_body");
    };
    if !(1..=255).contains(&new.name.chars().count()) || new.name.trim().is_empty() {
        return refusal(StatusCode::BAD_REQUEST, "invalid_body");
    }
    let (name, category_id) = (new.name.clone(), new.category_id);
    let status = new.status.unwrap_or(Status::Available);
    let (sender, receiver) = oneshot::channel();
    if creates.send((new, sender)).is_err() {
        return refusal(StatusCode::SERVICE_UNAVAILABLE, "store_unavailable");
    }
    let Ok(id) = receiver.await else {
        return refusal(StatusCode::SERVICE_UNAVAILABLE, "store_unavailable");
    };
    let mut response = respond(
        StatusCode::CREATED,
        json(&Animal {
            id,
            name,
            category_id,
            status,
        }),
    );
    response
        .headers_mut()
        .insert(LOCATION, value(&format!("/v1/pets/{id}")));
    response
}

/// Gives all creates that wait one commit; a batch that fails drops its senders, and so refuses all of it.
fn write(file: &str, creates: mpsc::Receiver<Create>) -> rusqlite::Result<()> {
    let mut database = connect(file)?;
    while let Ok(first) = creates.recv() {
        let transaction = database.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let mut added = Vec::new();
        {
            let mut insert = transaction
                .prepare_cached("INSERT INTO animal (name, category_id, status) VALUES (?, ?, ?)")?;
            for (new, sender) in std::iter::once(first).chain(creates.try_iter()) {
                let status = new.status.unwrap_or(Status::Available).text();
                added.push((insert.insert(params![new.name, new.category_id, status])?, sender));
            }
        }
        transaction.commit()?;
        for (id, sender) in added {
            let _ = sender.send(id);
        }
    }
    Ok(())
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("animals are JSON")
}

fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("ASCII")
}

/// What was found, or that the client has it.
fn found(asked: &HeaderMap, body: String, link: Option<String>) -> Response {
    let mut hash = Sha256::new();
    hash.update(&body);
    hash.update(link.as_deref().unwrap_or(""));
    let tag = format!(
        "\"{}\"",
        &URL_SAFE_NO_PAD.encode(hash.finalize())[..TAG_CHARACTERS]
    );
    let unchanged = asked
        .get(IF_NONE_MATCH)
        .is_some_and(|value| value == "*" || value == tag.as_str());
    let mut response = if unchanged {
        let mut response = respond(StatusCode::NOT_MODIFIED, String::new());
        response.headers_mut().remove(CONTENT_TYPE);
        response
    } else {
        respond(StatusCode::OK, body)
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(VARY, HeaderValue::from_static("Accept-Encoding, Origin"));
    headers.insert(ETAG, value(&tag));
    if let Some(link) = link {
        headers.insert(LINK, value(&link));
    }
    response
}

fn respond(status: StatusCode, body: String) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    let id = uuid::Uuid::now_v7().hyphenated().to_string();
    headers.insert(HeaderName::from_static("x-request-id"), value(&id));
    response
}

/// Why nothing was read.
fn refused<T>(read: rusqlite::Result<Option<T>>) -> Response {
    match read {
        Ok(_) => refusal(StatusCode::UNAUTHORIZED, "unauthorized"),
        Err(_) => refusal(StatusCode::SERVICE_UNAVAILABLE, "store_unavailable"),
    }
}

fn refusal(status: StatusCode, code: &str) -> Response {
    let body = format!(
        "{{\"code\":\"{code}\",\"message\":\"{code}\",\"status\":{}}}",
        status.as_u16()
    );
    respond(status, body)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("usage: animal-store-peer FILE")?;
    let reader = Reader::open(&file)?;
    READER.set(Some(reader));
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        if let Err(error) = write(&file, receiver) {
            eprintln!("the writer ended: {error}");
        }
    });
    let app = Router::new()
        .route("/v1/pets", get(list).post(create))
        .route("/v1/pets/{id}", get(one))
        .with_state(sender);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{} ", listener.local_addr()?);
    axum::serve(listener.tap_io(|socket| drop(socket.set_nodelay(true))), app).await?;
    Ok(())
}
