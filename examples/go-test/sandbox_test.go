// A sandbox of Animal Store for go test: copy this file beside your tests, and name your package here. animal-store must
// be on the PATH.
package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// sandbox is what --ready-file has: one sandbox for all tests.
var sandbox struct {
	BaseURL string `json:"baseUrl"`
	Control string `json:"control"`
}

func TestMain(m *testing.M) {
	stop, err := startSandbox()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	stop()
	os.Exit(code)
}

// A Store has the 24 example animals, and no other test sees it, so tests may call t.Parallel.
type Store struct {
	Name, BaseURL string
	// APIKey may do everything.
	APIKey string
	// Keys has all keys by their names, also those that are limited, expired and revoked.
	Keys map[string]Key
}

// A Key is an API key. Its state is valid, expired or revoked.
type Key struct {
	Name, Key, State string
	Scopes           []string
}

// newStore makes a store that goes at the end of the test.
func newStore(t *testing.T) Store {
	t.Helper()
	var space struct {
		Space string
		Keys  []Key
	}
	Store{}.control(t, "POST", "/spaces", nil, &space)
	store := Store{space.Space, sandbox.BaseURL, space.Keys[0].Key, map[string]Key{}}
	for _, key := range space.Keys {
		store.Keys[key.Name] = key
	}
	t.Cleanup(func() { store.control(t, "DELETE", "/spaces/"+store.Name, nil, nil) })
	return store
}

// A Fault is what goes wrong with which requests: a name or a status, and conditions. docs/guides/sandbox.md lists them.
type Fault struct {
	Fault             string         `json:"fault,omitempty"`
	Status            int            `json:"status,omitempty"`
	Operation         string         `json:"operation,omitempty"`
	Key               string         `json:"key,omitempty"`
	Path              string         `json:"path,omitempty"`
	Body              map[string]any `json:"body,omitempty"`
	Event             string         `json:"event,omitempty"`
	After             int            `json:"after,omitempty"`
	Count             int            `json:"count,omitempty"`
	Probability       float64        `json:"probability,omitempty"`
	Seed              int            `json:"seed,omitempty"`
	DelayMs           int            `json:"delayMs,omitempty"`
	DelayMaxMs        int            `json:"delayMaxMs,omitempty"`
	RetryAfterSeconds int            `json:"retryAfterSeconds,omitempty"`
}

// A PlannedFault has the ids of the requests or deliveries that met it.
type PlannedFault struct {
	Fault
	Hit []int
}

// Faults plans these faults in place of all others.
func (s Store) Faults(t *testing.T, faults ...Fault) []PlannedFault {
	t.Helper()
	var planned struct{ Faults []PlannedFault }
	s.control(t, "PUT", "/faults", map[string]any{"faults": append([]Fault{}, faults...)}, &planned)
	return planned.Faults
}

// Now returns the time of the store.
func (s Store) Now(t *testing.T) time.Time {
	t.Helper()
	return s.clock(t, "GET", nil)
}

// SetClock sets the clock, which runs on from there.
func (s Store) SetClock(t *testing.T, now time.Time) time.Time {
	t.Helper()
	return s.clock(t, "PUT", map[string]any{"now": now.UTC().Format(time.RFC3339Nano)})
}

// AdvanceClock advances the clock, for example by "25h".
func (s Store) AdvanceClock(t *testing.T, duration string) time.Time {
	t.Helper()
	return s.clock(t, "PUT", map[string]any{"advance": duration})
}

// FreezeClock lets the clock stand still, also when it is set or advanced.
func (s Store) FreezeClock(t *testing.T) time.Time {
	t.Helper()
	return s.clock(t, "PUT", map[string]any{"frozen": true})
}

// ResetClock returns to the real time.
func (s Store) ResetClock(t *testing.T) {
	t.Helper()
	s.control(t, "DELETE", "/clock", nil, nil)
}

func (s Store) clock(t *testing.T, method string, change any) time.Time {
	t.Helper()
	var clock struct{ Now time.Time }
	s.control(t, method, "/clock", change, &clock)
	return clock.Now
}

// Reset starts again with the first animals, orders and ids, the real time, no faults, an empty journal and no deliveries.
func (s Store) Reset(t *testing.T) {
	t.Helper()
	s.control(t, "POST", "/reset", nil, nil)
}

// A Filter has the values of the requests that are meant, for example Filter{"operation": "createPet", "status": "201"}.
type Filter map[string]string

// A Request is a request in the journal.
type Request struct {
	ID             int
	ElapsedMs      float64
	Method, Target string
	Operation, Key string
	Headers        map[string]string
	Body           string
	Fault          *MetFault
	Response       *Response
}

// A MetFault is the fault that a request or a delivery met.
type MetFault struct{ Fault string }

// A Response is what came back.
type Response struct {
	Status    int
	ElapsedMs float64
	Headers   map[string]string
	Body      string
}

func (r Request) String() string {
	answer := "no response"
	if r.Response != nil {
		answer = fmt.Sprint(r.Response.Status)
	}
	if r.Fault != nil {
		answer += " with the fault " + r.Fault.Fault
	}
	return fmt.Sprintf("#%d %s %s got %s", r.ID, r.Method, r.Target, answer)
}

type journal struct {
	Count, Dropped int
	Requests       []Request
	Nearest        []struct {
		Request Request
		Differs map[string]*string
	}
}

// Requests returns the requests that a filter admits, oldest first.
func (s Store) Requests(t *testing.T, filter Filter) []Request {
	t.Helper()
	var found []Request
	for after := 0; ; after = found[len(found)-1].ID {
		page := s.journal(t, filter, "limit", "1000", "after", fmt.Sprint(after))
		if page.Dropped > 0 {
			t.Fatalf("the journal no longer has the first %d requests", page.Dropped)
		}
		found = append(found, page.Requests...)
		if len(page.Requests) == page.Count {
			return found
		}
	}
}

// Some stands for any number of requests but none.
const Some = -1

// ExpectRequests returns the same. The test fails unless there are this many, and shows those that come nearest.
func (s Store) ExpectRequests(t *testing.T, count int, filter Filter) []Request {
	t.Helper()
	found := s.Requests(t, filter)
	if len(found) == count || count == Some && len(found) > 0 {
		return found
	}
	expected := "some"
	if count != Some {
		expected = fmt.Sprint(count)
	}
	text := fmt.Sprintf("expected %s requests with %v, and there were %d", expected, filter, len(found))
	for _, request := range found {
		text += fmt.Sprint("\n  ", request)
	}
	for at, near := range s.journal(t, filter, "limit", "0", "nearest", "3").Nearest {
		if at == 0 {
			text += "\nthese come nearest:"
		}
		text += fmt.Sprint("\n  ", near.Request)
		for name, value := range near.Differs {
			if value == nil {
				text += fmt.Sprintf(", without %s", name)
			} else {
				text += fmt.Sprintf(", with %s %q", name, *value)
			}
		}
	}
	t.Fatal(text)
	return nil
}

func (s Store) journal(t *testing.T, filter Filter, shown ...string) (page journal) {
	t.Helper()
	query := url.Values{}
	for name, value := range filter {
		query.Set(name, value)
	}
	for at := 0; at < len(shown); at += 2 {
		query.Set(shown[at], shown[at+1])
	}
	s.control(t, "GET", "/requests?"+query.Encode(), nil, &page)
	return page
}

// A Target is an address that gets deliveries.
type Target struct {
	Target               int
	URL                  string
	Types                []string
	Secret, FormerSecret string
	TimeoutMs            int
}

// DeliveryOptions are left out as a rule: then each event is delivered, and the sandbox makes the secrets.
type DeliveryOptions struct {
	Types        []string `json:"types,omitempty"`
	Secret       string   `json:"secret,omitempty"`
	FormerSecret string   `json:"formerSecret,omitempty"`
	TimeoutMs    int      `json:"timeoutMs,omitempty"`
}

// DeliverTo delivers each event from now on to an address, as a webhook.
func (s Store) DeliverTo(t *testing.T, url string, options DeliveryOptions) (target Target) {
	t.Helper()
	s.control(t, "POST", "/deliveries", struct {
		URL string `json:"url"`
		DeliveryOptions
	}{url, options}, &target)
	return target
}

// A Delivery is an attempt to deliver an event.
type Delivery struct {
	ID, Target, Attempt int
	Event, Outcome      string
	EventID             int64
	Fault               *MetFault
	Error               string
	Headers             map[string]string
	Body                string
	Response            *Response
}

func (d Delivery) String() string {
	result := d.Error
	if d.Response != nil {
		result = fmt.Sprint(d.Response.Status)
	}
	fault := ""
	if d.Fault != nil {
		fault = " with the fault " + d.Fault.Fault
	}
	return fmt.Sprintf("#%d %s %d, attempt %d%s: %s", d.ID, d.Event, d.EventID, d.Attempt, fault, result)
}

// Deliveries returns the deliveries that a filter admits, in their order, once at least this many have ended. The test fails
// if that takes more than 10 s.
func (s Store) Deliveries(t *testing.T, atLeast int, filter Filter) []Delivery {
	t.Helper()
	query := url.Values{"atLeast": {fmt.Sprint(atLeast)}, "limit": {"1000"}}
	for name, value := range filter {
		query.Set(name, value)
	}
	var page struct {
		Dropped    int
		Deliveries []Delivery
	}
	s.control(t, "GET", "/deliveries?"+query.Encode(), nil, &page)
	if page.Dropped > 0 {
		t.Fatalf("the list no longer has the first %d deliveries", page.Dropped)
	}
	ended := 0
	text := ""
	for _, delivery := range page.Deliveries {
		if delivery.Outcome != "" {
			ended++
		}
		text += fmt.Sprint("\n  ", delivery)
	}
	if ended < atLeast {
		t.Fatalf("expected at least %d deliveries with %v, and %d had ended%s", atLeast, filter, ended, text)
	}
	return page.Deliveries
}

// control sends any request of the control interface, for this store: docs/guides/sandbox.md.
func (s Store) control(t *testing.T, method, path string, value, result any) {
	t.Helper()
	var body bytes.Buffer
	if value != nil {
		if err := json.NewEncoder(&body).Encode(value); err != nil {
			t.Fatal(err)
		}
	}
	request, err := http.NewRequest(method, sandbox.Control+path, &body)
	if err != nil {
		t.Fatal(err)
	}
	if value != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if s.APIKey != "" {
		request.Header.Set("Authorization", "Bearer "+s.APIKey)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		var refusal struct{ Message string }
		json.NewDecoder(response.Body).Decode(&refusal)
		t.Fatalf("the sandbox refused %s %s: %s", method, path, refusal.Message)
	}
	if result != nil {
		if err := json.NewDecoder(response.Body).Decode(result); err != nil {
			t.Fatal(err)
		}
	}
}

func startSandbox() (stop func(), err error) {
	folder, err := os.MkdirTemp("", "animal-store-")
	if err != nil {
		return nil, err
	}
	readyFile := filepath.Join(folder, "ready.json")
	command := exec.Command("animal-store", "sandbox", "--port", "0", "--ready-file", readyFile, "--until-stdin-ends")
	command.Stderr = os.Stderr
	// It ends with this process, even if that is killed.
	if _, err = command.StdinPipe(); err == nil {
		err = command.Start()
	}
	if err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		command.Wait()
		close(ended)
	}()
	stop = func() {
		command.Process.Signal(syscall.SIGTERM)
		<-ended
		os.RemoveAll(folder)
	}
	for {
		ready, err := os.ReadFile(readyFile)
		if err == nil {
			err = json.Unmarshal(ready, &sandbox)
		}
		if err == nil {
			return stop, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			stop()
			return nil, err
		}
		select {
		case <-ended:
			stop()
			return nil, errors.New("the sandbox ended before it was ready")
		case <-time.After(20 * time.Millisecond):
		}
	}
}
