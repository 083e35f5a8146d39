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
	BaseURL, APIKey string
}

// newStore makes a store that goes at the end of the test.
func newStore(t *testing.T) Store {
	t.Helper()
	var space struct {
		Name string `json:"space"`
		Keys []struct {
			Key string `json:"key"`
		} `json:"keys"`
	}
	Store{}.control(t, "POST", "/spaces", nil, &space)
	store := Store{sandbox.BaseURL, space.Keys[0].Key}
	t.Cleanup(func() { store.control(t, "DELETE", "/spaces/"+space.Name, nil, nil) })
	return store
}

// A Fault is what goes wrong with which requests: a name or a status, and conditions. docs/guides/sandbox.md lists them.
type Fault struct {
	Fault             string  `json:"fault,omitempty"`
	Status            int     `json:"status,omitempty"`
	Operation         string  `json:"operation,omitempty"`
	Key               string  `json:"key,omitempty"`
	Event             string  `json:"event,omitempty"`
	After             int     `json:"after,omitempty"`
	Count             int     `json:"count,omitempty"`
	Probability       float64 `json:"probability,omitempty"`
	Seed              int     `json:"seed,omitempty"`
	DelayMs           int     `json:"delayMs,omitempty"`
	DelayMaxMs        int     `json:"delayMaxMs,omitempty"`
	RetryAfterSeconds int     `json:"retryAfterSeconds,omitempty"`
}

// Faults plans these faults in place of all others.
func (s Store) Faults(t *testing.T, faults ...Fault) {
	t.Helper()
	s.control(t, "PUT", "/faults", map[string]any{"faults": append([]Fault{}, faults...)}, nil)
}

// SetClock sets the clock, which runs on from there.
func (s Store) SetClock(t *testing.T, now time.Time) {
	t.Helper()
	s.control(t, "PUT", "/clock", map[string]any{"now": now.UTC().Format(time.RFC3339Nano)}, nil)
}

// AdvanceClock advances the clock, for example by "25h".
func (s Store) AdvanceClock(t *testing.T, duration string) {
	t.Helper()
	s.control(t, "PUT", "/clock", map[string]any{"advance": duration}, nil)
}

// A Filter has the values of the requests that are meant, for example Filter{"operation": "createPet", "status": "201"}.
type Filter map[string]string

// A Request is a request in the journal.
type Request struct {
	ID             int
	ElapsedMs      float64
	Method, Target string
	Headers        map[string]string
	Body           string
	Response       *struct{ Status int }
}

func (r Request) String() string {
	answer := "no response"
	if r.Response != nil {
		answer = fmt.Sprint(r.Response.Status)
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

// ExpectRequests returns the same. The test fails unless there are this many, and shows those that come nearest.
func (s Store) ExpectRequests(t *testing.T, count int, filter Filter) []Request {
	t.Helper()
	found := s.Requests(t, filter)
	if len(found) == count {
		return found
	}
	text := fmt.Sprintf("expected %d requests with %v, and there were %d", count, filter, len(found))
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
}

// DeliverTo delivers each event of these types from now on to an address, as a webhook; without types, each event.
func (s Store) DeliverTo(t *testing.T, url string, types ...string) (target Target) {
	t.Helper()
	wish := map[string]any{"url": url}
	if len(types) > 0 {
		wish["types"] = types
	}
	s.control(t, "POST", "/deliveries", wish, &target)
	return target
}

// A Delivery is an attempt to deliver an event.
type Delivery struct {
	ID, Attempt    int
	Event, Outcome string
	EventID        int64
	Error          string
	Headers        map[string]string
	Body           string
	Response       *struct{ Status int }
}

func (d Delivery) String() string {
	result := d.Error
	if d.Response != nil {
		result = fmt.Sprint(d.Response.Status)
	}
	return fmt.Sprintf("#%d %s %d, attempt %d: %s", d.ID, d.Event, d.EventID, d.Attempt, result)
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
