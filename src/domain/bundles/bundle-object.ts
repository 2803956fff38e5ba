import { DurableObject } from 'cloudflare:workers';
import type { WorkElsewhere } from '../../platform/db.ts';
import type { Env } from '../../platform/env.ts';
import { Mutex } from '../../platform/mutex.ts';
import { type AccountContext, type ActingAccount, type Actor, bookmarkOf, contextOfAccount } from '../context.ts';
import { followMoves } from '../databases/follow-moves.ts';
import { ensureMap } from '../databases/read-map.ts';
import { DomainError, type ErrorKind, type Issue } from '../errors.ts';
import type { LinkedBundle } from './add-to-bundle.ts';

/** Who changes a bundle, as it travels to the bundle's object. */
export interface BundleCaller {
  account: ActingAccount;
  baseUrl: string;
  requestId: string;
  actor?: Actor;
  ip?: string;
}

/** Errors travel as values: an object's call passes on no more of an error than its text. */
export type BundleReply<T> = { work: WorkElsewhere } & (
  | { result: T }
  | { refused: { kind: ErrorKind; issues: Issue[] } }
);

/**
 * One object for each bundle, named by account and bundle, that makes its changes one after another, which waiting for
 * D1 does not do by itself. It keeps no state: the rules hold in D1 too, where single passes join and leave by their
 * own field. What a Worker starts with is small, so the code of a change is loaded with the first one.
 */
export class BundleObject extends DurableObject<Env> {
  #changes = new Mutex();

  /** See `addToBundle`. */
  add(caller: BundleCaller, bundleId: string, names: string[]): Promise<BundleReply<LinkedBundle>> {
    return this.#change(caller, async (ctx) => (await import('./add-to-bundle.ts')).addToBundle(ctx, bundleId, names));
  }

  /** See `voidBundle`. */
  void(caller: BundleCaller, bundleId: string, voided: boolean): Promise<BundleReply<string[]>> {
    return this.#change(caller, async (ctx) => (await import('./void-bundle.ts')).voidBundle(ctx, bundleId, voided));
  }

  /** See `dissolveBundle`. */
  dissolve(caller: BundleCaller, bundleId: string): Promise<BundleReply<void>> {
    return this.#change(caller, async (ctx) => (await import('./dissolve-bundle.ts')).dissolveBundle(ctx, bundleId));
  }

  #change<T>(caller: BundleCaller, change: (ctx: AccountContext) => Promise<T>): Promise<BundleReply<T>> {
    return this.#changes.run(async () => {
      const { account, actor, ...origin } = caller;
      const waitUntil = (work: Promise<unknown>) => this.ctx.waitUntil(work);
      await ensureMap({ env: this.env, requestId: caller.requestId, waitUntil });
      const open = (): AccountContext => {
        const opened = contextOfAccount(this.env, account.id, { ...origin, waitUntil });
        return { ...opened, account, actor };
      };
      let ctx = open();
      const work = () => ({ ...ctx.meter, bookmark: bookmarkOf(ctx) });
      try {
        const result = await followMoves(ctx, () => {
          ctx = open();
          return change(ctx);
        });
        return { result, work: work() };
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        const { kind, issues } = error;
        return { refused: { kind, issues }, work: work() };
      }
    });
  }
}
