module example.com/animals

go 1.25

require github.com/oapi-codegen/runtime v1.8.0
