import { Hono } from 'hono';
import { changeBundle } from '../../../domain/bundles/change-bundle.ts';
import { getBundlePasses } from '../../../domain/bundles/find-bundle.ts';
import { listBundles } from '../../../domain/bundles/list-bundles.ts';
import type { AccountContext } from '../../../domain/context.ts';
import { DomainError, invalidField } from '../../../domain/errors.ts';
import { PassName } from '../../../domain/fields.ts';
import { pagePath } from '../../../domain/passes/page/links.ts';
import { reissuePass } from '../../../wallets/issue-pass.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { ConfirmationPage } from '../console-layout.tsx';
import { listed, PAGE_ROWS, page, pathTo, submitted, textOf } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { BundleListPage, BundlePage, bundleHref, NewBundlePage, SECTION } from './bundle-pages.tsx';

/** Routes for bundles. Bundle names are free text, so addresses contain them as a parameter. */
export const bundleRoutes = new Hono<AccountEnv>();

const mayEdit = requirePrivilege('passes.edit');
/** The holder of a pass gets a link to all passes of its bundle. */
const mayAdd = requirePrivilege('passes.edit', 'personal_data');

bundleRoutes.get('/', async (c) => {
  const after = c.req.query('after');
  const found = await listBundles(c.var.acting, { after, limit: PAGE_ROWS + 1 });
  return page(c, <BundleListPage {...listed(found, after, ({ bundleId }) => bundleId)} />);
});

bundleRoutes.get('/new', mayAdd, (c) => page(c, <NewBundlePage />));

bundleRoutes.post('/', mayAdd, async (c) => {
  const form = await c.req.parseBody();
  const typed = { bundleId: textOf(form, 'bundleId').trim(), passes: textOf(form, 'passes') };
  return submitted(c, <NewBundlePage typed={typed} />, async () => {
    if (typed.bundleId === '' || !PassName.safeParse(typed.bundleId).success) {
      throw invalidField('Name', 'must have 1 to 500 characters');
    }
    await add(c.var.acting, typed.bundleId, typed.passes);
    return toBundle(c, typed.bundleId);
  });
});

bundleRoutes.get('/bundle', async (c) => {
  return page(c, await bundlePage(c, c.req.query('id') ?? ''));
});

async function bundlePage(c: AccountPageContext, bundleId: string, again: { passes?: string } = {}) {
  const { acting } = c.var;
  const members = await getBundlePasses(acting, bundleId);
  const pageUrl = acting.baseUrl + pagePath(acting.env, members[0]!.pass);
  const shown = { bundleId, members, pageUrl, now: Date.now() };
  return <BundlePage {...shown} {...again} />;
}

bundleRoutes.get('/dissolve', mayEdit, async (c) => {
  const bundleId = c.req.query('id') ?? '';
  const members = await getBundlePasses(c.var.acting, bundleId);
  return page(
    c,
    <ConfirmationPage
      title="Dissolve bundle"
      section={SECTION}
      action={`${pathTo(c, SECTION)}/dissolve`}
      fields={{ id: bundleId }}
      button="Dissolve bundle"
      back={bundleHref(c.var.acting.account.id, bundleId)}
    >
      The {members.length === 1 ? 'pass' : `${members.length} passes`} of “{bundleId}” will be kept, but no longer share
      a page. The link of the bundle stops working. Each pass keeps its own page.
    </ConfirmationPage>,
  );
});

bundleRoutes.post('/dissolve', mayEdit, async (c) => {
  const bundleId = textOf(await c.req.parseBody(), 'id');
  await changeBundle(c.var.acting, bundleId, (bundle, caller) => bundle.dissolve(caller, bundleId));
  return c.redirect(pathTo(c, SECTION), 303);
});

for (const [verb, voided] of [
  ['void', true],
  ['unvoid', false],
] as const) {
  bundleRoutes.post(`/${verb}`, mayEdit, async (c) => {
    const { acting } = c.var;
    const bundleId = textOf(await c.req.parseBody(), 'id');
    await changeBundle(acting, bundleId, (bundle, caller) => bundle.void(caller, bundleId, voided));
    return toBundle(c, bundleId);
  });
}

bundleRoutes.post('/add', mayAdd, async (c) => {
  const form = await c.req.parseBody();
  const [bundleId, passes] = [textOf(form, 'id'), textOf(form, 'passes')];
  const again = () => bundlePage(c, bundleId, { passes });
  return submitted(c, again, async () => {
    await add(c.var.acting, bundleId, passes);
    return toBundle(c, bundleId);
  });
});

bundleRoutes.post('/remove', mayEdit, async (c) => {
  const form = await c.req.parseBody();
  const [bundleId, passId] = [textOf(form, 'id'), textOf(form, 'pass')];
  await reissuePass(c.var.acting, passId, { bundleId: null }, { mode: 'patch', wait: false });
  try {
    await getBundlePasses(c.var.acting, bundleId);
  } catch (error) {
    // That was the last pass, so the bundle no longer exists.
    if (error instanceof DomainError) return c.redirect(pathTo(c, SECTION), 303);
    throw error;
  }
  return toBundle(c, bundleId);
});

/** Adds passes to a bundle; each line names one pass. */
async function add(acting: AccountContext, bundleId: string, lines: string): Promise<void> {
  const names = lines
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (names.length === 0) throw invalidField('Passes', 'must contain at least one pass');
  await changeBundle(acting, bundleId, (bundle, caller) => bundle.add(caller, bundleId, [...new Set(names)]));
}

function toBundle(c: AccountPageContext, bundleId: string): Response {
  return c.redirect(bundleHref(c.var.acting.account.id, bundleId), 303);
}
