import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Animal Store with Java 17's java.net.http: create and order with a safe retry, list all pages, read the
 * feed, handle an error.
 *
 * <pre>ANIMAL_STORE_URL=http://127.0.0.1:8080/v1 API_KEY=as_live_… java Animals.java</pre>
 *
 * int64: exact in a long. The JDK has no JSON library, so this program finds the numbers that it needs by patterns. With
 * Jackson or Gson, bind to long or Long: what they read into an Object or a double may be rounded.
 */
public class Animals {
  /** The service's Error: code is what to branch on. */
  static class Refused extends Exception {
    final String code;

    Refused(HttpResponse<String> response) {
      super(response.statusCode() + " " + response.body() + " (request " + response.headers().firstValue("X-Request-Id").orElse("unknown") + ")");
      code = member("code", response.body()).orElse("");
    }
  }

  static final String BASE = System.getenv("ANIMAL_STORE_URL");
  static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  static final Set<Integer> RETRYABLE = Set.of(408, 429, 502, 503, 504);
  static final int ATTEMPTS = 5;

  /** Sends a request, and repeats it after failures that may pass. */
  static HttpResponse<String> call(HttpRequest.Builder builder) throws Exception {
    var request =
        builder
            .header("Authorization", "Bearer " + System.getenv("API_KEY"))
            .timeout(Duration.ofSeconds(10))
            .build();
    for (int attempt = 1; ; attempt++) {
      long pause = (long) (200 * (1 << attempt) * ThreadLocalRandom.current().nextDouble(0.5, 1));
      try {
        var response = CLIENT.send(request, BodyHandlers.ofString());
        if (response.statusCode() < 300) return response;
        if (!RETRYABLE.contains(response.statusCode()) || attempt == ATTEMPTS) throw new Refused(response);
        pause += 1000 * response.headers().firstValueAsLong("Retry-After").orElse(0);
      } catch (IOException lost) {
        // No response: whether the service did it is not known.
        if (attempt == ATTEMPTS) throw lost;
      }
      Thread.sleep(pause);
    }
  }

  static String create(String path, String json) throws Exception {
    // One key per animal or order, made before the first attempt: repeating the request then adds nothing.
    var request =
        HttpRequest.newBuilder(URI.create(BASE + path))
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", UUID.randomUUID().toString())
            .POST(BodyPublishers.ofString(json));
    return call(request).body();
  }

  /** It needs no key: if the order already has the status, nothing changes. */
  static String updateOrder(String id, String status) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(BASE + "/orders/" + id))
            .header("Content-Type", "application/json")
            .method("PATCH", BodyPublishers.ofString("{\"status\": \"" + status + "\"}"));
    return call(request).body();
  }

  /** The animals of a list or of the feed. The feed's last page is empty; its link is where to ask again later. */
  static List<String> animals(String path) throws Exception {
    var animals = new ArrayList<String>();
    var animal = Pattern.compile("\\{\"id\":\\d+,\"name\":\"(?:[^\"\\\\]|\\\\.)*\",\"categoryId\":\\d+");
    var next = Pattern.compile("<([^>]*)>; rel=\"next\"");
    for (URI address = URI.create(BASE + path); address != null; ) {
      var response = call(HttpRequest.newBuilder(address).GET());
      animal.matcher(response.body()).results().forEach(match -> animals.add(match.group()));
      Matcher link = next.matcher(response.headers().firstValue("Link").orElse(""));
      boolean isMore = link.find() && !response.body().equals("[]");
      address = isMore ? address.resolve(link.group(1)) : null;
    }
    return animals;
  }

  /** The value of a member that is a number, a status or a code. */
  static Optional<String> member(String name, String json) {
    Matcher found = Pattern.compile("\"" + name + "\":\"?([^,\"}]*)").matcher(json);
    return found.find() ? Optional.of(found.group(1)) : Optional.empty();
  }

  public static void main(String[] arguments) throws Exception {
    String rex = create("/pets", "{\"name\": \"Rex\", \"categoryId\": " + Long.MAX_VALUE + "}");
    long id = Long.parseLong(member("id", rex).orElseThrow());
    long categoryId = Long.parseLong(member("categoryId", rex).orElseThrow());
    System.out.println("created " + id + " with category " + categoryId);
    String order = create("/orders", "{\"petId\": " + id + "}");
    String cancelled = updateOrder(member("id", order).orElseThrow(), "cancelled");
    System.out.println(
        "ordered " + member("petId", order).orElseThrow() + ": " + member("status", order).orElseThrow()
            + ", then " + member("status", cancelled).orElseThrow());
    System.out.println("listed " + animals("/pets?limit=2").size());
    try {
      for (String animal : animals("/events?type=animal.created"))
        if (member("id", animal).orElseThrow().equals(String.valueOf(id)))
          System.out.println("event of " + id + " with category " + member("categoryId", animal).orElseThrow());
    } catch (Refused refused) {
      // The feed is experimental, and few services offer it.
      System.out.println("no feed: " + refused.code);
    }
    try {
      create("/pets", "{\"name\": \"\", \"categoryId\": 1}");
    } catch (Refused refused) {
      System.out.println("refused with " + refused.code);
    }
  }
}
