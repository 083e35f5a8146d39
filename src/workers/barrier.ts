/** Lets the members of a group continue once all of them have arrived. A member that leaves no longer counts. */
export class Barrier<Member> {
  readonly #open: (member: Member) => void;
  readonly #members = new Set<Member>();
  readonly #arrived = new Set<Member>();

  /** @param open called for each member that may continue */
  constructor(open: (member: Member) => void) {
    this.#open = open;
  }

  /** The members that the others wait for. */
  get absent(): Member[] {
    return [...this.#members].filter((member) => !this.#arrived.has(member));
  }

  join(member: Member): void {
    this.#members.add(member);
  }

  arrive(member: Member): void {
    this.#arrived.add(member);
    this.#openIfComplete();
  }

  leave(member: Member): void {
    this.#members.delete(member);
    this.#arrived.delete(member);
    this.#openIfComplete();
  }

  #openIfComplete(): void {
    if (this.absent.length > 0) return;
    const arrived = [...this.#arrived];
    this.#arrived.clear();
    for (const member of arrived) this.#open(member);
  }
}
