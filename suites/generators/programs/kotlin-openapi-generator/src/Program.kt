import com.fasterxml.jackson.module.kotlin.readValue
import org.openapitools.client.apis.AnimalsApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.infrastructure.Serializer
import org.openapitools.client.infrastructure.Success
import org.openapitools.client.models.Animal
import org.openapitools.client.models.AnimalInput
import org.openapitools.client.models.Error

val next = Regex("[?&]cursor=([^&>]+)[^>]*>; rel=\"next\"")

fun names(api: AnimalsApi): List<String> {
    val names = mutableListOf<String>()
    var cursor: String? = null
    while (true) {
        val page = api.listPetsWithHttpInfo(2, null, cursor, null, null, null) as Success<List<Animal>?>
        names += page.data!!.map { it.name }
        val link = page.headers["link"]?.firstNotNullOfOrNull { next.find(it) } ?: return names
        cursor = link.groupValues[1]
    }
}

fun refused(what: String, call: () -> Any) {
    try {
        call()
    } catch (refusal: ClientException) {
        val body = (refusal.response as ClientError<*>).body as String
        println("$what ${refusal.statusCode} ${Serializer.jacksonObjectMapper.readValue<Error>(body).code}")
    }
}

fun main() {
    val api = AnimalsApi(System.getenv("ANIMAL_STORE_URL"))
    val key = System.getenv("API_KEY")
    ApiClient.accessToken = key
    val created = api.createPet(AnimalInput("Rex", Long.MAX_VALUE))
    println("created ${created.categoryId}")
    println("got ${api.getPet(created.id).categoryId}")
    println("listed ${names(api).joinToString(",")}")
    ApiClient.accessToken = "wrong"
    refused("unauthorized") { api.listPets() }
    ApiClient.accessToken = key
    refused("unknown") { api.getPet(4242) }
    // White space that only Unicode knows: the pattern lets it pass, the service does not.
    refused("invalid") { api.createPet(AnimalInput("\u2003", 1)) }
}
