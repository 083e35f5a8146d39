/** @jsxImportSource preact */
import { capitalized } from "../parts/capitalized.ts";

/** The choice of the status to show: all in sight side by side, or on a phone in a menu, which has a third of their width. */
export function StatusFilter(props: {
  /** The empty one is for all. */
  readonly statuses: readonly string[];
  readonly chosen: string;
  readonly isPhone: boolean;
  readonly onChoose: (status: string) => void;
}) {
  const { statuses, chosen, isPhone, onChoose } = props;
  const titleOf = (status: string) => (status ? capitalized(status) : "All");
  return isPhone ? (
    <select
      class="input"
      aria-label="Status"
      value={chosen}
      onInput={({ currentTarget }) => onChoose(currentTarget.value)}
    >
      {statuses.map((status) => (
        <option key={status} value={status}>
          {titleOf(status)}
        </option>
      ))}
    </select>
  ) : (
    <fieldset class="segments">
      <legend class="visually-hidden">Status</legend>
      {statuses.map((status) => (
        <label key={status}>
          <input
            type="radio"
            name="status-filter"
            checked={chosen === status}
            onChange={() => onChoose(status)}
          />
          <span>{titleOf(status)}</span>
        </label>
      ))}
    </fieldset>
  );
}
