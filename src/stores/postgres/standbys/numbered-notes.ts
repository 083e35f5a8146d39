/** How many numbers of a log are remembered. A standby that is further behind is asked about at the primary. */
const REMEMBERED = 1000;

/** What is remembered of the numbers of a log: of the latest that were noted. */
export type NumberedNotes<Note> = Map<number, Note>;

/** Notes something of a number, and forgets the number that was noted first if there are too many. */
export function note<Note>(notes: NumberedNotes<Note>, number: number, what: Note): void {
  notes.set(number, what);
  if (notes.size > REMEMBERED) notes.delete(notes.keys().next().value as number);
}
