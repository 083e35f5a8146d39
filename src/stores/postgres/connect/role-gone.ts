import type { SQL } from "bun";
import { sqlStateOf } from "../errors.ts";

const UNDEFINED_OBJECT = "42704";

/** Whether the role of a session was dropped: the session has no rights then, even if there is a role of that name again. */
export async function isRoleGone(sql: SQL): Promise<boolean> {
  try {
    await sql`SELECT current_user`;
    return false;
  } catch (error) {
    return sqlStateOf(error) === UNDEFINED_OBJECT;
  }
}
