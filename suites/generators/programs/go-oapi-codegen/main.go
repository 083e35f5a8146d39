package main

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"os"
	"regexp"
	"strings"

	"example.com/animals/client"
)

var next = regexp.MustCompile(`[?&]cursor=([^&>]+)[^>]*>; rel="next"`)

func main() {
	api := connect(os.Getenv("API_KEY"))
	ctx := context.Background()

	created, err := api.CreatePetWithResponse(ctx, nil, client.AnimalInput{Name: "Rex", CategoryId: math.MaxInt64})
	check(err)
	fmt.Println("created", created.JSON201.CategoryId)
	got, err := api.GetPetWithResponse(ctx, created.JSON201.Id, nil)
	check(err)
	fmt.Println("got", got.JSON200.CategoryId)
	fmt.Println("listed", strings.Join(names(ctx, api), ","))

	unauthorized, err := connect("wrong").ListPetsWithResponse(ctx, nil)
	check(err)
	fmt.Println("unauthorized", unauthorized.StatusCode(), unauthorized.JSON401.Code)
	unknown, err := api.GetPetWithResponse(ctx, 4242, nil)
	check(err)
	fmt.Println("unknown", unknown.StatusCode(), unknown.JSON404.Code)
	// White space that only Unicode knows: the pattern lets it pass, the service does not.
	invalid, err := api.CreatePetWithResponse(ctx, nil, client.AnimalInput{Name: "\u2003", CategoryId: 1})
	check(err)
	fmt.Println("invalid", invalid.StatusCode(), invalid.JSON400.Code)
}

func connect(key string) *client.ClientWithResponses {
	api, err := client.NewClientWithResponses(
		os.Getenv("ANIMAL_STORE_URL"),
		client.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+key)
			return nil
		}),
	)
	check(err)
	return api
}

func names(ctx context.Context, api *client.ClientWithResponses) []string {
	var names []string
	limit := int32(2)
	parameters := client.ListPetsParams{Limit: &limit}
	for {
		page, err := api.ListPetsWithResponse(ctx, &parameters)
		check(err)
		for _, animal := range *page.JSON200 {
			names = append(names, animal.Name)
		}
		found := next.FindStringSubmatch(page.HTTPResponse.Header.Get("Link"))
		if found == nil {
			return names
		}
		parameters.Cursor = &found[1]
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
