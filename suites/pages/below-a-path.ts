/**
 * A proxy that serves each service below a path of its own, as one in front of a whole site does; gone with `using`.
 *
 * @param services by the names of their paths
 */
export function belowPaths(services: Readonly<Record<string, { readonly address: string }>>) {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: ({ url, headers }) => {
      const { pathname, search } = new URL(url);
      const [, name = "", path] = /^\/([^/]+)(\/.*)$/.exec(pathname) ?? [];
      const service = services[name];
      if (!service || path === undefined) return new Response(null, { status: 404 });
      return fetch(service.address + path + search, { headers, decompress: false });
    },
  });
  return {
    addressOf: (name: string) => `http://127.0.0.1:${server.port}/${name}`,
    [Symbol.dispose]: () => void server.stop(true),
  };
}
