/**
 * Has a request tell its body once the service has read it whole. A copy of the request would hold all of a body that the
 * service refuses to read.
 */
export function onBodyRead(request: Request, note: (body: Uint8Array) => void): void {
  if (request.headers.has("content-length")) {
    const read = request.bytes.bind(request);
    const readAndNote = async () => {
      const bytes = await read();
      note(bytes);
      return bytes;
    };
    Object.defineProperty(request, "bytes", { value: readAndNote });
  } else if (request.body) {
    const chunks: Uint8Array[] = [];
    const noted = request.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          chunks.push(chunk);
          controller.enqueue(chunk);
        },
        flush: () => note(Buffer.concat(chunks)),
      }),
    );
    Object.defineProperty(request, "body", { value: noted });
  }
}
