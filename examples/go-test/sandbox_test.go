// A sandbox of Animal Store for go test: copy this file beside your tests, and name your package here. animal-store must
// be on the PATH.
package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
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

// control plans faults, sets the clock or reads the journal of this store: docs/guides/sandbox.md.
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
		t.Fatalf("%s %s: %s", method, path, response.Status)
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
