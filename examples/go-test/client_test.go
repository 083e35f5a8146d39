package client

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// add stands for your client.
func add(store Store, name, key string) (id int64, err error) {
	for attempt := 1; attempt <= 2; attempt++ {
		if id, err = addOnce(store, name, key); err == nil {
			break
		}
	}
	return id, err
}

func addOnce(store Store, name, key string) (int64, error) {
	request, err := http.NewRequest("POST", store.BaseURL+"/pets", strings.NewReader(`{"name":"`+name+`","categoryId":1}`))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+store.APIKey)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	var animal struct {
		ID int64 `json:"id"`
	}
	return animal.ID, json.NewDecoder(response.Body).Decode(&animal)
}

func TestAddsAnAnimal(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	if id, err := add(store, "Rex", "rex-1"); id != 25 || err != nil {
		t.Fatal(id, err)
	}
}

func TestAddsItOnceWhenTheResponseIsLost(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	store.Faults(t, Fault{Fault: "lost", Operation: "createPet", Count: 1})
	// The id is 25 in both tests: each has a store of its own.
	if id, err := add(store, "Rex", "rex-1"); id != 25 || err != nil {
		t.Fatal(id, err)
	}
	store.ExpectRequests(t, 2, Filter{"operation": "createPet", "idempotencyKey": "rex-1"})
}

func TestAddsASecondAnimalWhenItsKeyIsForgotten(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	for _, expected := range []int64{25, 26} {
		if id, err := add(store, "Rex", "rex-1"); id != expected || err != nil {
			t.Fatal(id, err)
		}
		store.AdvanceClock(t, "25h")
	}
}

func TestHasKeysThatAreRefused(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	store.APIKey = store.Keys["revoked"].Key
	if id, err := add(store, "Rex", "rex-1"); id != 0 || err != nil {
		t.Fatal(id, err)
	}
}

func TestSaysNoToOneAnimalAndNotToOthers(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	store.Faults(t, Fault{Status: 409, Operation: "placeOrder"}, Fault{Status: 403, Body: map[string]any{"name": "Rex"}})
	for name, expected := range map[string]int64{"Rex": 0, "Luna": 25} {
		if id, err := add(store, name, name); id != expected || err != nil {
			t.Fatal(name, id, err)
		}
	}
	store.ExpectRequests(t, Some, Filter{"fault": "403"})
}

func TestStandsStillAtATimeAndStartsAgain(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	store.FreezeClock(t)
	removal := time.Date(2030, 12, 5, 0, 0, 0, 0, time.UTC)
	if !store.SetClock(t, removal).Equal(removal) || !store.AdvanceClock(t, "1s").Equal(removal.Add(time.Second)) {
		t.Fatal(store.Now(t))
	}
	store.ResetClock(t)
	if !store.Now(t).Before(removal) {
		t.Fatal(store.Now(t))
	}
	for turn := 1; turn <= 2; turn++ {
		if id, err := add(store, "Rex", "rex-1"); id != 25 || err != nil {
			t.Fatal(id, err)
		}
		store.Reset(t)
	}
}

// isGenuine stands for your receiver of webhooks.
func isGenuine(request *http.Request, body []byte, secret string) bool {
	seconds, err := strconv.ParseInt(request.Header.Get("webhook-timestamp"), 10, 64)
	if err != nil || math.Abs(float64(time.Now().Unix()-seconds)) > 300 {
		return false
	}
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(request.Header.Get("webhook-id") + "." + request.Header.Get("webhook-timestamp") + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(expected), []byte(request.Header.Get("webhook-signature")))
}

func TestTheReceiverRefusesWhatItMustNotBelieve(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	secretOf := func(letter string) string {
		return "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(letter, 32)))
	}
	receiver := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		if isGenuine(request, body, secretOf("n")) {
			response.WriteHeader(http.StatusNoContent)
		} else {
			response.WriteHeader(http.StatusBadRequest)
		}
	}))
	defer receiver.Close()
	store.DeliverTo(t, receiver.URL, DeliveryOptions{
		Types: []string{"animal.created"}, Secret: secretOf("n"), FormerSecret: secretOf("f"), TimeoutMs: 5000,
	})
	store.Faults(t, Fault{Fault: "delivery_old_timestamp", Count: 1}, Fault{Fault: "delivery_old_signature", Count: 1})
	if _, err := add(store, "Rex", "rex-1"); err != nil {
		t.Fatal(err)
	}
	// The true delivery follows those that were refused.
	deliveries := store.Deliveries(t, 3, Filter{"event": "animal.created"})
	for at, expected := range []int{400, 400, 204} {
		if deliveries[at].Response.Status != expected || (deliveries[at].Fault != nil) != (expected == 400) {
			t.Fatal(deliveries)
		}
	}
}
