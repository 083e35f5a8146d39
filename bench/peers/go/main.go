// What a good engineer would write in Go: the answers of Animal Store, byte for byte, from the same SQLite file.
// Goroutines of net/http read; one more writes, and gives all creates that wait one commit.
package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	_ "github.com/mattn/go-sqlite3"
)

const (
	options     = "?_journal_mode=WAL&_synchronous=FULL&_busy_timeout=5000&_txlock=immediate"
	cursorBytes = 24
	// What an entity tag keeps of its hash in base64url.
	tagCharacters = 22
	batchMax      = 1000
)

type animal struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status"`
}

type create struct {
	animal animal
	// The id, or nothing where the commit failed.
	added chan int64
}

type server struct {
	key, all, byStatus, one *sql.Stmt
	secret                  []byte
	creates                 chan create
}

func main() {
	database := must(sql.Open("sqlite3", os.Args[1]+options))
	// No more than there are cores to use them.
	database.SetMaxOpenConns(4)
	database.SetMaxIdleConns(4)
	prepare := func(text string) *sql.Stmt { return must(database.Prepare(text)) }
	columns := "SELECT id, name, category_id, status FROM animal"
	s := server{
		key:      prepare("SELECT coalesce(min(revoked_at, expires_at), revoked_at, expires_at, 9e18) FROM api_key WHERE hash = ?"),
		all:      prepare(columns + " WHERE id > ? ORDER BY id LIMIT +?"),
		byStatus: prepare(columns + " WHERE status = +? AND id > ? ORDER BY id LIMIT +?"),
		one:      prepare(columns + " WHERE id = ?"),
		creates:  make(chan create, batchMax),
	}
	row := database.QueryRow("SELECT value FROM secret WHERE name = 'cursor'")
	if err := row.Scan(&s.secret); err != nil {
		log.Fatal(err)
	}
	go s.write(must(sql.Open("sqlite3", os.Args[1]+options)))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/pets", s.withKey(s.list))
	mux.HandleFunc("POST /v1/pets", s.withKey(s.create))
	mux.HandleFunc("GET /v1/pets/{id}", s.withKey(s.get))
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	fmt.Printf("http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, mux))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func (s *server) withKey(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		key, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		hash := sha256.Sum256([]byte(key))
		var until float64
		if !found || s.key.QueryRow(hash[:]).Scan(&until) != nil || until <= float64(time.Now().UnixMilli()) {
			refuse(w, http.StatusUnauthorized, "unauthorized")
			return
		}
		next(w, r)
	}
}

func (s *server) list(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	limit, status, after := 20, query.Get("status"), int64(0)
	var err error
	if query.Has("limit") {
		limit, err = strconv.Atoi(query.Get("limit"))
	}
	if query.Has("cursor") && err == nil {
		after, err = s.after(query.Get("cursor"), status)
	}
	if err != nil || limit < 1 || limit > 100 || query.Has("status") && !isStatus(status) {
		refuse(w, http.StatusBadRequest, "invalid_parameter")
		return
	}
	var rows *sql.Rows
	if status == "" {
		rows, err = s.all.Query(after, limit+1)
	} else {
		rows, err = s.byStatus.Query(status, after, limit+1)
	}
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, "store_unavailable")
		return
	}
	defer rows.Close()
	animals := make([]animal, 0, limit+1)
	for rows.Next() {
		var a animal
		if rows.Scan(&a.ID, &a.Name, &a.CategoryID, &a.Status) != nil {
			break
		}
		animals = append(animals, a)
	}
	if rows.Err() != nil {
		refuse(w, http.StatusServiceUnavailable, "store_unavailable")
		return
	}
	link := ""
	if len(animals) > limit {
		animals = animals[:limit]
		filter := ""
		if status != "" {
			filter = "status=" + status + "&"
		}
		cursor := s.issue(animals[limit-1].ID, status)
		link = fmt.Sprintf(`</v1/pets?limit=%d&%scursor=%s>; rel="next"`, limit, filter, cursor)
		w.Header().Set("Link", link)
	}
	found(w, r, animals, link)
}

func (s *server) get(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Deprecation", "@1764892800")
	header.Set("Sunset", "Thu, 05 Dec 2030 00:00:00 GMT")
	header.Set("Link", `</v1/pets>; rel="successor-version"`)
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	var a animal
	if err == nil {
		err = s.one.QueryRow(id).Scan(&a.ID, &a.Name, &a.CategoryID, &a.Status)
	}
	if errors.Is(err, sql.ErrNoRows) || errors.Is(err, strconv.ErrSyntax) || errors.Is(err, strconv.ErrRange) {
		refuse(w, http.StatusNotFound, "animal_not_found")
	} else if err != nil {
		refuse(w, http.StatusServiceUnavailable, "store_unavailable")
	} else {
		found(w, r, a, "")
	}
}

func (s *server) create(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Name       *string `json:"name"`
		CategoryID *int64  `json:"categoryId"`
		Status     string  `json:"status"`
	}
	body.Status = "available"
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&body)
	if err != nil || body.Name == nil || body.CategoryID == nil || !isStatus(body.Status) ||
		strings.TrimSpace(*body.Name) == "" || utf8.RuneCountInString(*body.Name) > 255 {
		refuse(w, http.StatusBadRequest, "invalid_body")
		return
	}
	a := animal{Name: *body.Name, CategoryID: *body.CategoryID, Status: body.Status}
	added := make(chan int64, 1)
	s.creates <- create{a, added}
	id, stored := <-added
	if !stored {
		refuse(w, http.StatusServiceUnavailable, "store_unavailable")
		return
	}
	a.ID = id
	w.Header().Set("Location", "/v1/pets/"+strconv.FormatInt(id, 10))
	respond(w, http.StatusCreated, encode(a))
}

func (s *server) write(database *sql.DB) {
	connection := must(database.Conn(context.Background()))
	insert := must(connection.PrepareContext(context.Background(),
		"INSERT INTO animal (name, category_id, status) VALUES (?, ?, ?)"))
	for first := range s.creates {
		batch := []create{first}
		for more := true; more && len(batch) < batchMax; {
			select {
			case next := <-s.creates:
				batch = append(batch, next)
			default:
				more = false
			}
		}
		ids, err := commit(connection, insert, batch)
		for at, each := range batch {
			if err == nil {
				each.added <- ids[at]
			}
			close(each.added)
		}
	}
}

func commit(connection *sql.Conn, insert *sql.Stmt, batch []create) ([]int64, error) {
	transaction, err := connection.BeginTx(context.Background(), nil)
	if err != nil {
		return nil, err
	}
	defer transaction.Rollback()
	bound := transaction.Stmt(insert)
	ids := make([]int64, len(batch))
	for at, each := range batch {
		result, err := bound.Exec(each.animal.Name, each.animal.CategoryID, each.animal.Status)
		if err != nil {
			return nil, err
		}
		if ids[at], err = result.LastInsertId(); err != nil {
			return nil, err
		}
	}
	return ids, transaction.Commit()
}

func (s *server) sign(after int64, filter string) []byte {
	mac := hmac.New(sha256.New, s.secret)
	fmt.Fprintf(mac, `["listPets","%s","%d"]`, filter, after)
	return mac.Sum(nil)[:cursorBytes-8]
}

func (s *server) issue(after int64, filter string) string {
	bytes := binary.BigEndian.AppendUint64(make([]byte, 0, cursorBytes), uint64(after))
	return base64.RawURLEncoding.EncodeToString(append(bytes, s.sign(after, filter)...))
}

func (s *server) after(cursor, filter string) (int64, error) {
	bytes, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(bytes) != cursorBytes {
		return 0, errors.New("no cursor")
	}
	after := int64(binary.BigEndian.Uint64(bytes))
	if !hmac.Equal(bytes[8:], s.sign(after, filter)) {
		return 0, errors.New("no cursor of ours")
	}
	return after, nil
}

func isStatus(text string) bool {
	return text == "available" || text == "pending" || text == "sold"
}

// What was found, or that the client has it.
func found(w http.ResponseWriter, r *http.Request, value any, link string) {
	body := encode(value)
	hash := sha256.Sum256(append(body[:len(body):len(body)], link...))
	tag := `"` + base64.RawURLEncoding.EncodeToString(hash[:])[:tagCharacters] + `"`
	header := w.Header()
	header.Set("Cache-Control", "private, no-cache")
	header.Set("Vary", "Accept-Encoding, Origin")
	header["ETag"] = []string{tag}
	if named := r.Header.Get("If-None-Match"); named == tag || named == "*" {
		respond(w, http.StatusNotModified, nil)
	} else {
		respond(w, http.StatusOK, body)
	}
}

func encode(value any) []byte {
	var body strings.Builder
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return []byte(strings.TrimSuffix(body.String(), "\n"))
}

func respond(w http.ResponseWriter, status int, body []byte) {
	header := w.Header()
	if body != nil {
		header.Set("Content-Type", "application/json")
	}
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Request-Id", must(uuid.NewV7()).String())
	w.WriteHeader(status)
	w.Write(body)
}

func refuse(w http.ResponseWriter, status int, code string) {
	respond(w, status, fmt.Appendf(nil, `{"code":"%s","message":"%s","status":%d}`, code, code, status))
}
