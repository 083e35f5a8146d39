package client

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
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
