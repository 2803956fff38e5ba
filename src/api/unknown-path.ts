import type { Handler, Hono } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import { DomainError } from '../domain/errors.ts';
import type { ApiEnv } from './api-env.ts';
import { operationOf } from './operation.ts';

/**
 * The last route of an API version: 405 with `Allow` when the path exists for other methods, otherwise 404, both in the
 * version's own shape. `routes` is the version's app and `prefix` the path it is mounted at.
 */
export function unknownPath(routes: Hono<ApiEnv>, prefix: string): Handler<ApiEnv> {
  let methods: TrieRouter<string> | undefined;
  return (c) => {
    if (!methods) {
      methods = new TrieRouter();
      for (const route of routes.routes) {
        if (operationOf(route.handler)) methods.add('ALL', prefix + route.path, route.method);
      }
    }
    const allowed = new Set(methods.match('ALL', c.req.path)[0].map(([method]) => method));
    if (allowed.size > 0) {
      c.header('Allow', [...allowed].join(', '));
      throw new DomainError(
        'method_not_allowed',
        `${c.req.method} is not allowed here; allowed: ${[...allowed].join(', ')}`,
      );
    }
    throw new DomainError('not_found', 'Object not found');
  };
}
