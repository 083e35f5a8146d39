import { describe, expect, test } from "bun:test";
import { Conversation } from "../../verify/wire/conversation.ts";
import { MalformedResponse } from "../../verify/wire/head.ts";

/** Serves connections that answer anything with the same bytes, in pieces, and then are reset if told so. */
function answering(pieces: readonly string[], resets = false) {
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      async data(socket) {
        for (const piece of pieces) {
          socket.write(piece);
          socket.flush();
          if (pieces.length > 1) await Bun.sleep(1);
        }
        if (resets) socket.terminate();
      },
    },
  });
  return { address: `http://127.0.0.1:${listener.port}`, [Symbol.dispose]: () => listener.stop(true) };
}

async function ask(address: string, toHead = false) {
  const conversation = await Conversation.open(address);
  conversation.send("anything");
  return { conversation, answer: await conversation.next(toHead) };
}

const REFUSAL = "HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\nX: y\r\n\r\nno";

// A socket of `node:net` loses it: it is reset while it sends, and drops what it has received.
test("a response is read though its request is still being sent when the service resets", async () => {
  using server = answering([REFUSAL], true);
  for (let times = 0; times < 100; times++) {
    using conversation = await Conversation.open(server.address);
    for (let pieces = 0; pieces < 5; pieces++) {
      conversation.send("any");
      await new Promise(setImmediate);
    }
    expect(await conversation.next()).toMatchObject({ status: 400, body: "no" });
    expect(await conversation.closed()).toBe("");
  }
});

test("a response is complete at its last byte, wherever it is divided; the next one is kept for later", async () => {
  using server = answering([...`${REFUSAL}HTTP/1.1 100 Continue\r\n\r\n${REFUSAL}`]);
  const { conversation, answer } = await ask(server.address);
  using _ = conversation;
  expect([answer?.status, answer?.body, answer?.headers.get("x")]).toEqual([400, "no", "y"]);
  expect((await conversation.next())?.status).toBe(100);
  expect((await conversation.next())?.body).toBe("no");
});

test("the response to a HEAD has no body, whatever its length says", async () => {
  using server = answering([REFUSAL.slice(0, -2)]);
  const { conversation, answer } = await ask(server.address, true);
  using _ = conversation;
  expect(answer?.body).toBe("");
});

test("a wait without a response ends after its time, and the connection stays open", async () => {
  using server = answering([]);
  using conversation = await Conversation.open(server.address);
  expect(await conversation.next(false, 5)).toBeUndefined();
  expect(conversation.over).toBe(false);
});

describe("no HTTP response", () => {
  const malformed: Readonly<Record<string, string>> = {
    "no status line": "hello\r\n\r\n",
    "another version": "HTTP/1.0 200 OK\r\n\r\n",
    "a status without a reason": "HTTP/1.1 200\r\n\r\n",
    "a field without a colon": "HTTP/1.1 200 OK\r\nContent-Length 0\r\n\r\n",
    "a space before the colon": "HTTP/1.1 200 OK\r\nX : y\r\n\r\n",
    "a field that comes twice": "HTTP/1.1 200 OK\r\nX: y\r\nx: y\r\n\r\n",
  };
  for (const [name, bytes] of Object.entries(malformed)) {
    test(name, async () => {
      using server = answering([bytes]);
      await expect(ask(server.address)).rejects.toBeInstanceOf(MalformedResponse);
    });
  }
});
