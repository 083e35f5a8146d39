use openapi::apis::animals_api::{create_pet, get_pet, list_pets};
use openapi::apis::{configuration::Configuration, Error};
use openapi::models::AnimalInput;

fn connect(key: String) -> Configuration {
    let base_path = std::env::var("ANIMAL_STORE_URL").unwrap();
    Configuration { base_path, bearer_access_token: Some(key), ..Configuration::default() }
}

/// The generated error takes a refusal for the first status that the document lists, so the body is read once more.
fn refused<T: std::fmt::Debug, E: std::fmt::Debug>(what: &str, result: Result<T, Error<E>>) {
    match result {
        Err(Error::ResponseError(refusal)) => {
            let error: openapi::models::Error = serde_json::from_str(&refusal.content).unwrap();
            println!("{what} {} {}", refusal.status.as_u16(), error.code);
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let api = connect(std::env::var("API_KEY").unwrap());
    let created = create_pet(&api, AnimalInput::new("Rex".into(), i64::MAX), None, None).await.unwrap();
    println!("created {}", created.category_id);
    println!("got {}", get_pet(&api, created.id, None, None).await.unwrap().category_id);
    // The generated functions give no headers, so there is no link to follow: one page has all.
    let animals = list_pets(&api, Some(100), None, None, None, None, None).await.unwrap();
    println!("listed {}", animals.into_iter().map(|animal| animal.name).collect::<Vec<_>>().join(","));

    refused("unauthorized", list_pets(&connect("wrong".into()), None, None, None, None, None, None).await);
    refused("unknown", get_pet(&api, 4242, None, None).await);
    // White space that only Unicode knows: the pattern lets it pass, the service does not.
    refused("invalid", create_pet(&api, AnimalInput::new("\u{2003}".into(), 1), None, None).await);
}
