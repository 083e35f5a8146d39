// Passes bytes between two sockets, in pieces of all sizes, until one is closed.
import { connect } from "node:net";

const ends = [3, 4].map((fd) => connect({ fd } as never));
for (const [at, end] of ends.entries()) {
  const other = ends[1 - at];
  end.on("data", (bytes: Buffer) => {
    const middle = Math.floor(Math.random() * bytes.length);
    other?.write(bytes.subarray(0, middle));
    other?.write(bytes.subarray(middle));
  });
  end.on("close", () => process.exit());
}
