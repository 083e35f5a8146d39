module animals

go 1.19
