import { describe, expect, test } from "bun:test";
import type { Service } from "../../support/service.ts";
import { everyOperation, REX } from "./every-operation.ts";
import type { Exercised } from "./exercised.ts";
import { change, order } from "./orders.ts";
import { expectAnswer } from "./scenario.ts";

interface EventBody {
  readonly id: number;
  readonly type: string;
  readonly at: string;
  readonly animal?: { readonly id: number; readonly status: string };
  readonly order?: { readonly id: number; readonly status: string };
}

const nextOf = (answer: Response) =>
  /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1] ?? "";

/** One animal, ordered, approved and delivered: seven events. */
async function stock(service: Service): Promise<void> {
  await service.store.recordEvents(true);
  await order(service, "approved", "delivered");
}

const EVENTS = [
  ["animal.created", "available"],
  ["order.placed", "placed"],
  ["animal.status_changed", "pending"],
  ["order.status_changed", "approved"],
  ["order.status_changed", "delivered"],
  ["animal.status_changed", "sold"],
];

const brief = ({ type, animal, order }: EventBody) => [type, (animal ?? order)?.status];

export function listEventsContract(exercised: Exercised): void {
  describe("200", () => {
    test("each change, oldest first, with the animal or order as it was afterwards", async () => {
      await using service = await exercised.start();
      await stock(service);
      const answer = await service.call("/v1/events");
      expect(answer.headers.get("content-type")).toBe("application/json");
      expect(answer.headers.get("vary")).toBe("Accept, Accept-Encoding, Origin");
      const events = (await answer.json()) as EventBody[];
      expect(events.map(brief)).toEqual(EVENTS);
      const ids = events.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
      for (const { at } of events) expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(events[0]).toMatchObject({ animal: { id: 1, name: "Rex", categoryId: 12 } });
      expect(events.at(-2)?.order).toEqual((await (await service.call("/v1/orders/1")).json()) as never);
    });

    for (const [filter, expected] of Object.entries({
      "": EVENTS,
      "type=order.status_changed&": EVENTS.slice(3, 5),
      "type=animal.created&": EVENTS.slice(0, 1),
    })) {
      test(`Link leads on from every page, and brings later what is new${filter && `: ${filter}`}`, async () => {
        await using service = await exercised.start();
        await stock(service);
        const seen: EventBody[] = [];
        let next = `/v1/events?limit=2&${filter}`;
        for (let length = -1; length !== 0; ) {
          const answer = await service.call(next);
          const page = (await answer.json()) as EventBody[];
          next = nextOf(answer);
          expect(next).toMatch(new RegExp(`^/v1/events\\?limit=2&${filter}cursor=[\\w-]{32}$`));
          seen.push(...page);
          length = page.length;
        }
        expect(seen.map(brief)).toEqual(expected);
        expect(await (await service.call(next)).json()).toEqual([]);
        await order(service, "approved", "delivered");
        const more = (await (await service.call(next)).json()) as EventBody[];
        expect(more.map(brief)).toEqual(expected.slice(0, 2));
      });
    }

    test("from=latest is empty, and its Link leads to what comes next", async () => {
      await using service = await exercised.start();
      await stock(service);
      const answer = await service.call("/v1/events?from=latest");
      expect(await answer.json()).toEqual([]);
      await service.create(REX);
      const later = (await (await service.call(nextOf(answer))).json()) as EventBody[];
      expect(later.map(brief)).toEqual([["animal.created", "available"]]);
    });

    test("a key without the scope orders:read gets no event of an order, and another ETag", async () => {
      await using service = await exercised.start();
      await stock(service);
      const { key } = await service.issueKey(["events:read"]);
      const headers = { authorization: `Bearer ${key}` };
      // Each is asked for three times: no page of one caller goes to another.
      for (let n = 0; n < 3; n++) {
        const whole = await service.call("/v1/events");
        const part = await service.call("/v1/events", { headers });
        expect(((await whole.json()) as EventBody[]).map(brief)).toEqual(EVENTS);
        const animals = EVENTS.filter(([type]) => type?.startsWith("animal."));
        expect(((await part.json()) as EventBody[]).map(brief)).toEqual(animals);
        const condition = { ...headers, "if-none-match": whole.headers.get("etag") ?? "" };
        expect((await service.call("/v1/events", { headers: condition })).status).toBe(200);
      }
      const refused = await service.call("/v1/events?type=order.placed", { headers });
      expect(refused.headers.get("www-authenticate")).toContain('scope="orders:read"');
      await expectAnswer(refused, { status: 403, code: "insufficient_scope", says: "`orders:read`" });
    });
  });

  describe("410 events_expired", () => {
    const gone = {
      status: 410,
      code: "events_expired",
      says: "Request a page with `from=latest`, read the lists",
    };

    test("for a position whose events were deleted, as a page and as a stream", async () => {
      await using service = await exercised.start();
      await stock(service);
      const first = await service.call("/v1/events?limit=1");
      expect((await service.call(nextOf(first))).status).toBe(200);
      await service.store.deleteExpiredEvents(Date.now() + 60_000);
      await expectAnswer(await service.call(nextOf(first)), gone);
      const headers = { accept: "text/event-stream", "last-event-id": "1" };
      await expectAnswer(await service.call("/v1/events", { headers }), gone);
      // Without a position the feed begins with what is kept.
      expect(await (await service.call("/v1/events")).json()).toEqual([]);
    });

    test("for a position that this feed has not reached, since its events were lost", async () => {
      await using service = await exercised.start();
      await stock(service);
      const headers = { accept: "text/event-stream", "last-event-id": "1000" };
      await expectAnswer(await service.call("/v1/events", { headers }), gone);
    });
  });

  test("a change to the status that an order already has is no event", async () => {
    await using service = await exercised.start();
    await stock(service);
    const before = (await (await service.call("/v1/events")).json()) as EventBody[];
    await change(service, 1, "delivered");
    expect(await (await service.call("/v1/events")).json()).toEqual(before as never);
  });

  everyOperation(exercised, {
    scope: "events:read",
    request: { path: "/v1/events", status: 200 },
    stock: async (service) => {
      await service.store.recordEvents(true);
      await service.create(REX);
    },
    table: "event",
  });
}
