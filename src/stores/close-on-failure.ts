/** Runs the steps that make an opened resource usable; closes the resource if one of them throws. */
export function closeOnFailure<Result>(opened: { close(): unknown }, steps: () => Result): Result {
  try {
    return steps();
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** As `closeOnFailure`, for steps that wait for a server. */
export async function closeOnRejection<Result>(
  opened: { close(): Promise<void> },
  steps: () => Promise<Result>,
): Promise<Result> {
  try {
    return await steps();
  } catch (error) {
    await opened.close();
    throw error;
  }
}
