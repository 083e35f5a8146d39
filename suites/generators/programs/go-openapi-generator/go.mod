module example.com/animals

go 1.23
