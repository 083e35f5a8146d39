import type { NoticeSink } from "../../../relay/notice.ts";
import { type Position, PositionFile } from "../../../relay/position-file.ts";
import { assertWritable } from "../../process/atomic-file.ts";
import { CommandFailure, cannotRead } from "../../process/errors.ts";

/** The position of a relay, in a file that it has to itself. */
interface TakenPosition extends AsyncDisposable {
  /** @throws CommandFailure if the file cannot be read, or is another program's */
  position(): Promise<Position | undefined>;
  keep(position: Position): void;
  settled(): Promise<void>;
}

/** @throws CommandFailure if another relay has the file, or it cannot be written */
export function takePosition(path: string, notify: NoticeSink): TakenPosition {
  assertWritable(path, { replace: true });
  const file = lock(path, notify);
  if (file === undefined) {
    throw new CommandFailure(`another relay uses ${path}; give each relay a position file of its own.`);
  }
  return {
    position: async () => {
      const position = await file.read().catch((error) => {
        throw cannotRead(path, error);
      });
      if (position !== "unreadable") return position;
      throw new CommandFailure(`${path} exists, and no relay has written it; name another file.`);
    },
    keep: (position) => file.keep(position),
    settled: () => file.settled(),
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}

function lock(path: string, notify: NoticeSink): PositionFile | undefined {
  try {
    return PositionFile.take(path, (error) => notify({ notice: "position_unsaved", error }));
  } catch (error) {
    throw new CommandFailure(`cannot lock ${path}.lock: ${(error as Error).message}.`, 1, { cause: error });
  }
}
