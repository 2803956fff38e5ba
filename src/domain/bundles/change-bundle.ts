import { addWork } from '../../platform/db.ts';
import type { AccountContext } from '../context.ts';
import { DomainError } from '../errors.ts';
import type { BundleCaller, BundleObject, BundleReply } from './bundle-object.ts';

/**
 * Has the object of a bundle change it: `change` calls one of the object's methods. What the object did in D1 counts as
 * the request's own work. Throws what the change refuses.
 */
export async function changeBundle<T>(
  ctx: AccountContext,
  bundleId: string,
  change: (bundle: DurableObjectStub<BundleObject>, caller: BundleCaller) => Promise<BundleReply<T>>,
): Promise<T> {
  const { account, baseUrl, requestId, actor, ip } = ctx;
  const objects = ctx.env.BUNDLES as DurableObjectNamespace<BundleObject>;
  const bundle = objects.get(objects.idFromName(`${account.id}/${bundleId}`));
  const reply = await change(bundle, { account, baseUrl, requestId, actor, ip });
  addWork(ctx.meter, reply.work);
  if ('refused' in reply) throw new DomainError(reply.refused.kind, reply.refused.issues);
  return reply.result;
}
