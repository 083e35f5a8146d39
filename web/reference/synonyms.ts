import { isNearly } from "./typing-errors.ts";

/** Words that readers use for the same thing; the documentation has some of each line. */
const GROUPS = [
  "pagination paginate paging page pages cursor next",
  "create add new post insert",
  "pet pets animal animals",
  "get fetch read retrieve show",
  "update change edit modify patch",
  "delete remove uninstall",
  "auth authentication authorization authenticate login token bearer key keys",
  "retry retries idempotent idempotency repeat",
  "webhook webhooks delivery deliveries",
  "events event feed stream sse subscribe notification notifications",
  "conflict conflicts 409",
  "throttle throttling quota ratelimit rate",
  "etag cache caching 304 conditional",
  "buy purchase order orders checkout",
  "sdk library client clients",
  "bigint int64 integer integers precision identifiers",
  "status statuses code codes error errors",
  "deploy deployment install running operations",
  "version versioning versions deprecated deprecation sunset",
  "sandbox mock fake stub testing",
  "simulate inject fault faults",
  "https tls ssl certificate certificates",
  "proxy proxies balancer balancers nginx caddy envoy haproxy",
  "timeout timeouts deadline deadlines",
  "speed fast performance throughput scale scaling",
  "availability failover",
  "replica replicas standby standbys",
  "rollback downgrade revert roll",
  "loss lose lost",
  "stop stops shutdown sigterm",
  "memory ram",
  "postgres postgresql pg",
  "settings setting configuration configure config variables",
].map((line) => line.split(" "));

/** Other words for a word, which may have a typing error. */
export function synonymsOf(word: string): readonly string[] {
  const exact = GROUPS.filter((group) => group.includes(word));
  const groups =
    exact.length > 0 ? exact : GROUPS.filter((group) => group.some((each) => isNearly(word, each)));
  return groups.flat().filter((each) => each !== word);
}
