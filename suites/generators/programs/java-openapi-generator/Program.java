import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.AnimalsApi;
import org.openapitools.client.model.Animal;
import org.openapitools.client.model.AnimalInput;
import org.openapitools.client.model.Error;

public class Program {
  static final Pattern NEXT = Pattern.compile("[?&]cursor=([^&>]+)[^>]*>; rel=\"next\"");

  interface Call {
    void run() throws ApiException;
  }

  public static void main(String[] arguments) throws Exception {
    AnimalsApi api = connect(System.getenv("API_KEY"));
    Animal created = api.createPet(new AnimalInput().name("Rex").categoryId(Long.MAX_VALUE), null, null);
    System.out.println("created " + created.getCategoryId());
    System.out.println("got " + api.getPet(created.getId(), null, null).getCategoryId());
    System.out.println("listed " + String.join(",", names(api)));
    refused("unauthorized", () -> connect("wrong").listPets(null, null, null, null, null, null));
    refused("unknown", () -> api.getPet(4242L, null, null));
    // White space that only Unicode knows: the pattern lets it pass, the service does not.
    refused("invalid", () -> api.createPet(new AnimalInput().name("\u2003").categoryId(1L), null, null));
  }

  static AnimalsApi connect(String key) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("ANIMAL_STORE_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
    return new AnimalsApi(client);
  }

  static List<String> names(AnimalsApi api) throws ApiException {
    List<String> names = new ArrayList<>();
    String cursor = null;
    while (true) {
      ApiResponse<List<Animal>> page = api.listPetsWithHttpInfo(2, null, cursor, null, null, null);
      for (Animal animal : page.getData()) names.add(animal.getName());
      List<String> links = page.getHeaders().getOrDefault("link", List.of());
      Matcher link = NEXT.matcher(String.join(", ", links));
      if (!link.find()) return names;
      cursor = link.group(1);
    }
  }

  static void refused(String what, Call call) throws Exception {
    try {
      call.run();
    } catch (ApiException exception) {
      Error error = new ObjectMapper().readValue(exception.getResponseBody(), Error.class);
      System.out.println(what + " " + exception.getCode() + " " + error.getCode());
    }
  }
}
