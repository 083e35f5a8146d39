package main

import (
	"context"
	"errors"
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

	created, _, err := api.CreatePet(ctx).AnimalInput(*client.NewAnimalInput("Rex", math.MaxInt64)).Execute()
	check(err)
	fmt.Println("created", created.CategoryId)
	got, _, err := api.GetPet(ctx, created.Id).Execute()
	check(err)
	fmt.Println("got", got.CategoryId)
	fmt.Println("listed", strings.Join(names(ctx, api), ","))

	_, response, err := connect("wrong").ListPets(ctx).Execute()
	refused("unauthorized", response, err)
	_, response, err = api.GetPet(ctx, 4242).Execute()
	refused("unknown", response, err)
	// White space that only Unicode knows: the pattern lets it pass, the service does not.
	_, response, err = api.CreatePet(ctx).AnimalInput(*client.NewAnimalInput("\u2003", 1)).Execute()
	refused("invalid", response, err)
}

func connect(key string) *client.AnimalsAPIService {
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Getenv("ANIMAL_STORE_URL")}}
	configuration.AddDefaultHeader("Authorization", "Bearer "+key)
	return client.NewAPIClient(configuration).AnimalsAPI
}

func names(ctx context.Context, api *client.AnimalsAPIService) []string {
	var names []string
	request := api.ListPets(ctx).Limit(2)
	for {
		animals, response, err := request.Execute()
		check(err)
		for _, animal := range animals {
			names = append(names, animal.Name)
		}
		found := next.FindStringSubmatch(response.Header.Get("Link"))
		if found == nil {
			return names
		}
		request = request.Cursor(found[1])
	}
}

func refused(what string, response *http.Response, err error) {
	var failure *client.GenericOpenAPIError
	if !errors.As(err, &failure) {
		panic(fmt.Sprint(what, ": ", err))
	}
	fmt.Println(what, response.StatusCode, failure.Model().(client.Error).Code)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
