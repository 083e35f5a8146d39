<?php

declare(strict_types=1);

use OpenAPI\Client\Api\AnimalsApi;
use OpenAPI\Client\ApiException;
use OpenAPI\Client\Configuration;
use OpenAPI\Client\Model\AnimalInput;

// Debian's packages of the libraries that the generated code uses; Composer would do this elsewhere.
require 'GuzzleHttp/autoload.php';
spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/client/lib/' . str_replace('\\', '/', substr($class, strlen('OpenAPI\\Client\\'))) . '.php';
    if (str_starts_with($class, 'OpenAPI\\Client\\') && is_file($file)) {
        require $file;
    }
});
error_reporting(E_ALL & ~E_DEPRECATED);
set_error_handler(static fn (int $level, string $message) => throw new ErrorException($message), E_WARNING | E_NOTICE);

function connect(string $key): AnimalsApi
{
    $configuration = (new Configuration())->setHost(getenv('ANIMAL_STORE_URL'))->setAccessToken($key);
    return new AnimalsApi(new GuzzleHttp\Client(), $configuration);
}

/** @return list<string> */
function names(AnimalsApi $api): array
{
    $names = [];
    $cursor = null;
    do {
        [$animals, , $headers] = $api->listPetsWithHttpInfo(2, null, $cursor);
        foreach ($animals as $animal) {
            $names[] = $animal->getName();
        }
        $more = preg_match('/[?&]cursor=([^&>]+)[^>]*>; rel="next"/', $headers['Link'][0] ?? '', $link);
        $cursor = $link[1] ?? null;
    } while ($more);
    return $names;
}

function refused(string $what, callable $call): void
{
    try {
        $call();
    } catch (ApiException $exception) {
        echo "$what {$exception->getCode()} {$exception->getResponseObject()->getCode()}\n";
    }
}

$api = connect(getenv('API_KEY'));
$created = $api->createPet(new AnimalInput(['name' => 'Rex', 'category_id' => PHP_INT_MAX]));
echo "created {$created->getCategoryId()}\n";
echo "got {$api->getPet($created->getId())->getCategoryId()}\n";
echo 'listed ' . implode(',', names($api)) . "\n";
refused('unauthorized', static fn () => connect('wrong')->listPets());
refused('unknown', static fn () => $api->getPet(4242));
// White space that only Unicode knows: the pattern lets it pass, the service does not.
refused('invalid', static fn () => $api->createPet(new AnimalInput(['name' => "\u{2003}", 'category_id' => 1])));
