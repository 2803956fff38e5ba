/** Adds an error at a path of what is checked. */
export type Refuse = (path: PropertyKey[], message: string) => void;

interface Check {
  addIssue(issue: { code: 'custom'; path: PropertyKey[]; message: string }): void;
}

/** Returns the function that adds errors of a rule. */
export const refuseIn =
  (check: Check): Refuse =>
  (path, message) =>
    check.addIssue({ code: 'custom', path, message });

/** Refuses the items of a list whose member `key` has the value of an earlier one. */
export function refuseRepeats<K extends string>(
  items: { [P in K]?: string | null | undefined }[] | null | undefined,
  list: string[],
  key: K,
  refuse: Refuse,
): void {
  const seen = new Set<string>();
  for (const [i, item] of (items ?? []).entries()) {
    const value = item[key];
    if (!value) continue;
    if (seen.has(value)) refuse([...list, i, key], `"${value}" occurs twice`);
    seen.add(value);
  }
}
