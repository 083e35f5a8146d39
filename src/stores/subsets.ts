/** All sets of some things, the empty one too, each in their order. */
export function subsetsOf<Thing>(things: readonly Thing[]): readonly (readonly Thing[])[] {
  let sets: (readonly Thing[])[] = [[]];
  for (const thing of things) sets = sets.concat(sets.map((set) => [...set, thing]));
  return sets;
}
