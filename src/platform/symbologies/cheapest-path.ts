/** A step of an encoder, from one of its states to another: what it writes, and what that costs. */
export interface Step<Token> {
  to: number;
  /** Bytes of the value that it takes; 0: it only changes the state. */
  bytes: number;
  cost: number;
  token: Token;
}

interface Path<Token> {
  cost: number;
  last?: { token: Token; before: Path<Token> };
}

/**
 * The cheapest tokens that write `length` bytes. `stepsFrom` says which steps there are at a byte in a state; none that
 * only changes the state is free. `slack` is what it takes at most to get from any state to what another one promises:
 * a path that costs as much more than the cheapest is not followed.
 */
export function cheapestPath<Token>(
  length: number,
  starts: Step<Token>[],
  slack: number,
  stepsFrom: (at: number, state: number) => Iterable<Step<Token>>,
): Token[] {
  const paths: Map<number, Path<Token>>[] = Array.from({ length: length + 1 }, () => new Map());
  const extend = (before: Path<Token>, at: number, { to, cost, token }: Step<Token>) => {
    const total = before.cost + cost;
    const known = paths[at]!.get(to);
    if (known && known.cost <= total) return;
    // As the last one again, so that the walk over a byte's states comes by once more.
    paths[at]!.delete(to);
    paths[at]!.set(to, { cost: total, last: { token, before } });
  };
  for (const start of starts) extend({ cost: 0 }, 0, start);
  for (let at = 0; at < length; at++) {
    const limit = cheapest(paths[at]!.values()).cost + slack;
    for (const [state, path] of paths[at]!) {
      if (path.cost > limit) continue;
      for (const step of stepsFrom(at, state)) if (at + step.bytes <= length) extend(path, at + step.bytes, step);
    }
    // What has been left behind is kept only as far as a path leads through it.
    paths[at] = new Map();
  }
  return tokensOf(cheapest(paths[length]!.values()));
}

function cheapest<Token>(paths: Iterable<Path<Token>>): Path<Token> {
  let best: Path<Token> = { cost: Number.POSITIVE_INFINITY };
  for (const path of paths) if (path.cost < best.cost) best = path;
  return best;
}

function tokensOf<Token>(path: Path<Token>): Token[] {
  const tokens: Token[] = [];
  for (let { last } = path; last; last = last.before.last) tokens.push(last.token);
  return tokens.reverse();
}
