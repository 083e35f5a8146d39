// A receiver of webhooks for the judge, good but for the habits that its arguments name. It prints its port.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

type event struct {
	Id     int64  `json:"id"`
	Type   string `json:"type"`
	Animal struct {
		Id     int64  `json:"id"`
		Status string `json:"status"`
	} `json:"animal"`
}

type held struct {
	status string
	event  int64
}

var (
	habits  = map[string]bool{}
	keys    [][]byte
	mutex   sync.Mutex
	seen    = map[string]bool{}
	acted   = []string{}
	animals = map[int64]held{}
	queue   = make(chan func(), 1000)
)

func isGenuine(body []byte, headers http.Header) bool {
	id, timestamp, signatures := headers.Get("webhook-id"), headers.Get("webhook-timestamp"), headers.Get("webhook-signature")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || id == "" || math.Abs(float64(time.Now().Unix()-seconds)) > 300 {
		return false
	}
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(body)
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, each := range strings.Split(signatures, " ") {
			if hmac.Equal([]byte(each), []byte(expected)) {
				return true
			}
		}
	}
	return false
}

func isNew(id string) bool {
	mutex.Lock()
	defer mutex.Unlock()
	known := seen[id]
	seen[id] = true
	return !known
}

func act(id string, told event) {
	mutex.Lock()
	defer mutex.Unlock()
	acted = append(acted, id)
	if told.Id > animals[told.Animal.Id].event || habits["lets the last event win"] {
		animals[told.Animal.Id] = held{told.Animal.Status, told.Id}
	}
}

func receive(body []byte, headers http.Header) int {
	id := headers.Get("webhook-id")
	isFirst := true
	if habits["notes the id before it checks"] {
		isFirst = isNew(id)
	}
	if !isGenuine(body, headers) {
		return 401
	}
	var told event
	if json.Unmarshal(body, &told) != nil {
		return 400
	}
	if told.Type != "animal.created" && told.Type != "animal.status_changed" {
		return 204
	}
	if !habits["notes the id before it checks"] && !habits["acts twice"] {
		isFirst = isNew(id)
	}
	if !isFirst {
		return 204
	}
	if habits["works before it responds"] {
		time.Sleep(3 * time.Second)
	}
	queue <- func() { act(id, told) }
	return 204
}

func serve(response http.ResponseWriter, request *http.Request) {
	if request.Method == "GET" {
		mutex.Lock()
		defer mutex.Unlock()
		statuses := map[string]string{}
		for id, animal := range animals {
			statuses[strconv.FormatInt(id, 10)] = animal.status
		}
		json.NewEncoder(response).Encode(map[string]any{"acted": acted, "animals": statuses})
		return
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		response.WriteHeader(400)
		return
	}
	response.WriteHeader(receive(body, request.Header))
}

func main() {
	for _, habit := range os.Args[1:] {
		habits[habit] = true
	}
	for _, secret := range strings.Split(os.Getenv("SECRETS"), " ") {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			panic(err)
		}
		keys = append(keys, key)
	}
	// It works later, in order.
	go func() {
		for work := range queue {
			work()
		}
	}()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	http.Serve(listener, http.HandlerFunc(serve))
}
