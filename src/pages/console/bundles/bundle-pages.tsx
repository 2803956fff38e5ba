import type { ListedBundle } from '../../../domain/bundles/list-bundles.ts';
import type { Issue } from '../../../domain/errors.ts';
import { BUNDLE_PASSES_MAX } from '../../../domain/limits.ts';
import type { DefinedPass } from '../../../domain/passes/find-pass.ts';
import { hasPrivilege } from '../../../domain/users/privileges.ts';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { FaultyFields, TextArea, TextField } from '../fields.tsx';
import { ListTable } from '../list-table.tsx';
import { ActionButton, Badge, EmptyState, Pager, Panel, Problems } from '../parts.tsx';
import { PassState, passTitle } from '../passes/columns.tsx';
import { sectionPath } from '../sections.ts';
import { Time } from '../time.tsx';

export const SECTION = 'bundles';

/** Address of a bundle's page. */
export function bundleHref(accountId: string, bundleId: string): string {
  return `${sectionPath(accountId, SECTION, 'bundle')}?id=${encodeURIComponent(bundleId)}`;
}

interface BundleListPageProps {
  frame: Frame;
  bundles: ListedBundle[];
  /** Name behind which the next page begins. */
  next?: string;
  isFirst: boolean;
}

/** The account's bundles, by name. */
export function BundleListPage({ frame, bundles, next, isFirst }: BundleListPageProps) {
  const base = sectionPath(frame.account.id, SECTION);
  const seesLinks = hasPrivilege(frame.privileges, 'personal_data');
  const create = hasPrivilege(frame.privileges, 'passes.edit') && (
    <a class="button" href={`${base}/new`}>
      Create bundle
    </a>
  );
  return (
    <AccountLayout frame={frame} title="Bundles" section={SECTION} actions={create || undefined}>
      <p class="lead">
        A bundle groups passes, such as the tickets of a family. It has one link, and its holder adds all passes with
        one tap.
      </p>
      {bundles.length === 0 ? (
        <EmptyState title="No bundles yet" action={create || undefined}>
          Put up to {BUNDLE_PASSES_MAX} passes under one link.
        </EmptyState>
      ) : (
        <section class="panel">
          <ListTable
            columns={[
              'Bundle',
              { title: 'Passes', isNumber: true },
              'State',
              'Created',
              ...(seesLinks ? ['Link'] : []),
            ]}
          >
            {bundles.map(({ bundleId, passCount, voidedCount, createdAt, pageUrl }) => (
              <tr>
                <th scope="row">
                  <a href={bundleHref(frame.account.id, bundleId)}>{bundleId}</a>
                </th>
                <td class="number" data-label="Passes">
                  {passCount}
                </td>
                <td data-label="State">
                  <BundleState passCount={passCount} voidedCount={voidedCount} />
                </td>
                <td data-label="Created">
                  <Time at={createdAt} timezone={frame.account.timezone} />
                </td>
                {seesLinks && (
                  <td data-label="Link">
                    <a href={pageUrl} aria-label={`Page of ${bundleId}`}>
                      Page
                    </a>
                  </td>
                )}
              </tr>
            ))}
          </ListTable>
        </section>
      )}
      <Pager older={next && `${base}?after=${encodeURIComponent(next)}`} newer={isFirst ? undefined : base} />
    </AccountLayout>
  );
}

function BundleState({ passCount, voidedCount }: Pick<ListedBundle, 'passCount' | 'voidedCount'>) {
  if (voidedCount === 0) return <Badge tone="good">Valid</Badge>;
  if (voidedCount === passCount) return <Badge tone="grave">Voided</Badge>;
  return <Badge tone="careful">{voidedCount} voided</Badge>;
}

interface NewBundlePageProps {
  frame: Frame;
  typed?: { bundleId: string; passes: string };
  messages?: Issue[];
}

export function NewBundlePage({ frame, typed, messages = [] }: NewBundlePageProps) {
  const base = sectionPath(frame.account.id, SECTION);
  return (
    <AccountLayout frame={frame} title="Create bundle" section={SECTION}>
      <Problems messages={messages} />
      <form class="panel stack" method="post" action={base}>
        <FaultyFields messages={messages}>
          <TextField name="bundleId" label="Name" required value={typed?.bundleId} hint="For example an order number" />
          <PassNames value={typed?.passes} />
        </FaultyFields>
        <button class="button" type="submit">
          Create bundle
        </button>
      </form>
    </AccountLayout>
  );
}

function PassNames({ value }: { value?: string }) {
  const hint = `One per line, at most ${BUNDLE_PASSES_MAX} per bundle: identifier, external ID, barcode value or readable identifier. Each pass leaves its former bundle.`;
  return <TextArea name="passes" label="Passes" required value={value} hint={hint} />;
}

interface BundlePageProps {
  frame: Frame;
  bundleId: string;
  members: DefinedPass[];
  /** Address of its page. */
  pageUrl: string;
  now: number;
  /** What was typed, when it was refused. */
  passes?: string;
  messages?: Issue[];
}

/** One bundle: its link, its passes, and what can be done with all of them. */
export function BundlePage({ frame, bundleId, members, pageUrl, now, passes, messages = [] }: BundlePageProps) {
  const base = sectionPath(frame.account.id, SECTION);
  const mayEdit = hasPrivilege(frame.privileges, 'passes.edit');
  const fields = { id: bundleId };
  const actions = mayEdit && (
    <>
      {members.some(({ pass }) => !pass.voided) && (
        <ActionButton action={`${base}/void`} title="Void all" fields={fields} />
      )}
      {members.some(({ pass }) => pass.voided) && (
        <ActionButton action={`${base}/unvoid`} title="Restore all" fields={fields} />
      )}
      <a class="button small quiet" href={`${base}/dissolve?id=${encodeURIComponent(bundleId)}`}>
        Dissolve …
      </a>
    </>
  );
  return (
    <AccountLayout frame={frame} title={bundleId} section={SECTION} actions={actions || undefined}>
      <Problems messages={messages} />
      {hasPrivilege(frame.privileges, 'personal_data') && (
        <dl class="facts">
          <div>
            <dt>Link for holders</dt>
            <dd>
              <a href={pageUrl}>{pageUrl}</a>
            </dd>
          </div>
        </dl>
      )}
      <Panel
        id="members"
        title="Passes"
        aside={
          <span class="quiet">
            {members.length} of {BUNDLE_PASSES_MAX}
          </span>
        }
      >
        <Members frame={frame} bundleId={bundleId} members={members} now={now} mayEdit={mayEdit} />
      </Panel>
      {mayEdit && members.length < BUNDLE_PASSES_MAX && (
        <Panel id="add" title="Add passes">
          <form class="stack" method="post" action={`${base}/add`}>
            <input type="hidden" name="id" value={bundleId} />
            <PassNames value={passes} />
            <button class="button quiet" type="submit">
              Add
            </button>
          </form>
        </Panel>
      )}
    </AccountLayout>
  );
}

interface MembersProps extends Pick<BundlePageProps, 'frame' | 'bundleId' | 'members' | 'now'> {
  mayEdit: boolean;
}

function Members({ frame, bundleId, members, now, mayEdit }: MembersProps) {
  return (
    <ListTable columns={['Pass', 'Template', 'State']} hasActions={mayEdit}>
      {members.map(({ pass, template }) => (
        <tr>
          <th scope="row">
            <a href={sectionPath(frame.account.id, 'passes', pass.id)}>{passTitle(pass)}</a>
          </th>
          <td data-label="Template">{template.name}</td>
          <td data-label="State">
            <PassState pass={pass} now={now} />
          </td>
          {mayEdit && (
            <td class="row-actions">
              <ActionButton
                action={`${sectionPath(frame.account.id, SECTION)}/remove`}
                title="Remove"
                label={`Remove ${passTitle(pass)}`}
                fields={{ id: bundleId, pass: pass.id }}
              />
            </td>
          )}
        </tr>
      ))}
    </ListTable>
  );
}
