// Animal Store with Go's standard library: create and order with a safe retry, list all pages, read the feed, handle an error.
//
//	ANIMAL_STORE_URL=http://127.0.0.1:8080/v1 API_KEY=as_live_… go run .
//
// int64: exact in a struct with int64 fields. In an `any`, encoding/json makes it a float64, which rounds past 2^53:
// use Decoder.UseNumber there.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	mathrand "math/rand"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"time"
)

type Animal struct {
	ID         int64  `json:"id,omitempty"`
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status,omitempty"`
}

type Order struct {
	ID     int64  `json:"id"`
	PetID  int64  `json:"petId"`
	Status string `json:"status"`
}

type Event struct {
	ID     int64  `json:"id"`
	Type   string `json:"type"`
	Animal Animal `json:"animal"`
}

// Refused is the service's Error: Code is what to branch on.
type Refused struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Status    int    `json:"status"`
	RequestID string `json:"-"`
}

func (r *Refused) Error() string { return fmt.Sprintf("%s (request %s)", r.Message, r.RequestID) }

const attempts = 5

var (
	base     = os.Getenv("ANIMAL_STORE_URL")
	client   = http.Client{Timeout: 10 * time.Second}
	nextLink = regexp.MustCompile(`<([^>]*)>; rel="next"`)
)

// call sends a request, repeats it after failures that may pass, reads the value, and returns the address of the next page.
func call(method, address string, body []byte, headers map[string]string, value any) (string, error) {
	for attempt := 1; ; attempt++ {
		request, err := http.NewRequest(method, address, bytes.NewReader(body))
		if err != nil {
			return "", err
		}
		request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
		for name, each := range headers {
			request.Header.Set(name, each)
		}
		next, retryAfter, mayPass, err := once(request, value)
		if err == nil || !mayPass || attempt == attempts {
			return next, err
		}
		backoff := 200 * time.Millisecond << attempt
		time.Sleep(retryAfter + backoff/2 + time.Duration(mathrand.Int63n(int64(backoff/2))))
	}
}

func once(request *http.Request, value any) (next string, retryAfter time.Duration, mayPass bool, err error) {
	response, err := client.Do(request)
	if err != nil {
		return "", 0, true, err // No response: whether the service did it is not known.
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", 0, true, err
	}
	if response.StatusCode >= 300 {
		refused := &Refused{RequestID: response.Header.Get("X-Request-Id"), Status: response.StatusCode}
		if json.Unmarshal(body, refused) != nil { // The page of a proxy is no Error, and has no code.
			refused.Message = fmt.Sprint(response.StatusCode, " from something other than the service")
		}
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		switch response.StatusCode {
		case 408, 429, 502, 503, 504:
			mayPass = true
		}
		return "", time.Duration(seconds) * time.Second, mayPass, refused
	}
	if link := nextLink.FindStringSubmatch(response.Header.Get("Link")); link != nil {
		target, err := url.Parse(link[1])
		if err != nil {
			return "", 0, false, err
		}
		next = request.URL.ResolveReference(target).String()
	}
	return next, 0, false, json.Unmarshal(body, value)
}

// create adds an animal or places an order, and reads it into created.
func create(path string, input, created any) error {
	body, err := json.Marshal(input)
	if err != nil {
		return err
	}
	// One key per animal or order, made before the first attempt: repeating the request then adds nothing.
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return err
	}
	headers := map[string]string{"Content-Type": "application/json", "Idempotency-Key": hex.EncodeToString(random)}
	_, err = call("POST", base+path, body, headers, created)
	return err
}

// updateOrder needs no key: if the order already has the status, nothing changes.
func updateOrder(id int64, status string) (updated Order, err error) {
	body, err := json.Marshal(map[string]string{"status": status})
	if err != nil {
		return updated, err
	}
	headers := map[string]string{"Content-Type": "application/json"}
	_, err = call("PATCH", fmt.Sprint(base, "/orders/", id), body, headers, &updated)
	return updated, err
}

// each visits every item of a list or of the feed, a page at a time. The feed's last page is empty; its link is where to
// ask again later.
func each[Item any](path string, visit func(Item)) error {
	for address := base + path; address != ""; {
		var page []Item
		next, err := call("GET", address, nil, nil, &page)
		if err != nil {
			return err
		}
		for _, item := range page {
			visit(item)
		}
		if len(page) == 0 {
			return nil
		}
		address = next
	}
	return nil
}

func main() {
	var rex Animal
	if err := create("/pets", Animal{Name: "Rex", CategoryID: 9223372036854775807}, &rex); err != nil {
		log.Fatal(err)
	}
	fmt.Println("created", rex.ID, "with category", rex.CategoryID)

	var order Order
	if err := create("/orders", map[string]int64{"petId": rex.ID}, &order); err != nil {
		log.Fatal(err)
	}
	cancelled, err := updateOrder(order.ID, "cancelled")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("ordered %d: %s, then %s\n", order.PetID, order.Status, cancelled.Status)

	listed := 0
	if err := each("/pets?limit=2", func(Animal) { listed++ }); err != nil {
		log.Fatal(err)
	}
	fmt.Println("listed", listed)

	var refused *Refused
	err = each("/events?type=animal.created", func(event Event) {
		if event.Animal.ID == rex.ID {
			fmt.Println("event of", rex.ID, "with category", event.Animal.CategoryID)
		}
	})
	if errors.As(err, &refused) { // The feed is experimental, and few services offer it.
		fmt.Println("no feed:", refused.Code)
	} else if err != nil {
		log.Fatal(err)
	}

	err = create("/pets", Animal{Name: "", CategoryID: 1}, &rex)
	if !errors.As(err, &refused) {
		log.Fatal("not refused: ", err)
	}
	fmt.Println("refused with", refused.Code)
}
