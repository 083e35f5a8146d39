/** Calls again and again until an answer has a status: what a service looks at, it looks at from time to time. */
export async function untilStatus(call: () => Promise<Response>, status: number): Promise<Response> {
  for (;;) {
    const answer = await call();
    if (answer.status === status) return answer;
    await answer.body?.cancel();
    await Bun.sleep(20);
  }
}
