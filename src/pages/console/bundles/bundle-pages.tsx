import type { ListedBundle } from '../../../domain/bundles/list-bundles.ts';
import { BUNDLE_PASSES_MAX } from '../../../domain/limits.ts';
import type { DefinedPass } from '../../../domain/passes/find-pass.ts';
import { AccountLayout } from '../console-layout.tsx';
import { TextArea, TextField } from '../fields.tsx';
import { type Listed, ListPanel, Table } from '../list-table.tsx';
import {
  ActionButton,
  Badge,
  EmptyState,
  EntryForm,
  Fact,
  LinkButton,
  Panel,
  Problems,
  SubmitButton,
} from '../parts.tsx';
import { PassState, passTitle } from '../passes/columns.tsx';
import { sectionPath } from '../sections.ts';
import { Time } from '../time.tsx';
import { hrefTo, useViewer, viewerHas } from '../viewer.ts';

export const SECTION = 'bundles';

/** Returns the address of a bundle's page. */
export function bundleHref(accountId: string, bundleId: string): string {
  return `${sectionPath(accountId, SECTION, 'bundle')}?id=${encodeURIComponent(bundleId)}`;
}

/** The account's bundles, sorted by name. */
export function BundleListPage(list: Listed<ListedBundle>) {
  const base = hrefTo(SECTION);
  const seesLinks = viewerHas('personal_data');
  const create = viewerHas('passes.edit') && seesLinks && <LinkButton href={`${base}/new`} title="Create bundle" />;
  return (
    <AccountLayout title="Bundles" section={SECTION} actions={list.rows.length > 0 && create}>
      <p class="lead">
        A bundle groups passes, such as a family’s tickets. It has one link, and the holder adds all passes with one
        tap.
      </p>
      <ListPanel
        {...list}
        base={base}
        from="after"
        empty={
          <EmptyState title="No bundles yet" action={create || undefined}>
            Put up to {BUNDLE_PASSES_MAX} passes under one link.
          </EmptyState>
        }
        columns={[
          ['Bundle', ({ bundleId }) => <a href={bundleHref(useViewer().account.id, bundleId)}>{bundleId}</a>],
          ['Passes', ({ passCount }) => passCount, 'number'],
          ['State', ({ passCount, voidedCount }) => <BundleState passCount={passCount} voidedCount={voidedCount} />],
          ['Created', ({ createdAt }) => <Time at={createdAt} />],
          seesLinks && [
            'Link',
            ({ bundleId, pageUrl }) => (
              <a href={pageUrl} aria-label={`Page of ${bundleId}`}>
                Page
              </a>
            ),
          ],
        ]}
      />
    </AccountLayout>
  );
}

function BundleState({ passCount, voidedCount }: Pick<ListedBundle, 'passCount' | 'voidedCount'>) {
  if (voidedCount === 0) return <Badge tone="good">Valid</Badge>;
  if (voidedCount === passCount) return <Badge tone="grave">Voided</Badge>;
  return <Badge tone="careful">{voidedCount} voided</Badge>;
}

interface NewBundlePageProps {
  typed?: { bundleId: string; passes: string };
}

export function NewBundlePage({ typed }: NewBundlePageProps) {
  const base = hrefTo(SECTION);
  return (
    <AccountLayout title="Create bundle" section={SECTION}>
      <EntryForm action={base} button="Create bundle" back={base}>
        <TextField name="bundleId" label="Name" required value={typed?.bundleId} hint="For example, an order number" />
        <PassNames value={typed?.passes} />
      </EntryForm>
    </AccountLayout>
  );
}

function PassNames({ value }: { value?: string }) {
  const hint = `One per line, at most ${BUNDLE_PASSES_MAX} per bundle: identifier, external ID, barcode value or readable identifier. A pass can be in only one bundle, so it leaves its previous one.`;
  return <TextArea name="passes" label="Passes" required value={value} hint={hint} />;
}

interface BundlePageProps {
  bundleId: string;
  members: DefinedPass[];
  /** Address of its download page. */
  pageUrl: string;
  now: number;
  /** Rejected input, to be shown again. */
  passes?: string;
}

/** One bundle: its link, its passes, and its actions. */
export function BundlePage({ bundleId, members, pageUrl, now, passes }: BundlePageProps) {
  const base = hrefTo(SECTION);
  const mayEdit = viewerHas('passes.edit');
  const seesLinks = viewerHas('personal_data');
  const fields = { id: bundleId };
  const actions = mayEdit && (
    <>
      {members.some(({ pass }) => !pass.voided) && (
        <ActionButton action={`${base}/void`} title="Void all" fields={fields} />
      )}
      {members.some(({ pass }) => pass.voided) && (
        <ActionButton action={`${base}/unvoid`} title="Restore all" fields={fields} />
      )}
      <LinkButton href={`${base}/dissolve?id=${encodeURIComponent(bundleId)}`} title="Dissolve …" look="small quiet" />
    </>
  );
  return (
    <AccountLayout title={bundleId} section={SECTION} actions={actions || undefined}>
      <Problems />
      {seesLinks && (
        <dl class="facts">
          <Fact title="Link for holders" value={<a href={pageUrl}>{pageUrl}</a>} />
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
        <Members bundleId={bundleId} members={members} now={now} mayEdit={mayEdit} />
      </Panel>
      {mayEdit && seesLinks && members.length < BUNDLE_PASSES_MAX && (
        <Panel id="add" title="Add passes">
          <form class="stack" method="post" action={`${base}/add`}>
            <input type="hidden" name="id" value={bundleId} />
            <PassNames value={passes} />
            <SubmitButton title="Add passes" look="quiet" />
          </form>
        </Panel>
      )}
    </AccountLayout>
  );
}

interface MembersProps extends Pick<BundlePageProps, 'bundleId' | 'members' | 'now'> {
  mayEdit: boolean;
}

function Members({ bundleId, members, now, mayEdit }: MembersProps) {
  return (
    <Table
      rows={members}
      columns={[
        ['Pass', ({ pass }) => <a href={hrefTo('passes', pass.id)}>{passTitle(pass)}</a>],
        ['Template', ({ template }) => template.name],
        ['State', ({ pass }) => <PassState pass={pass} now={now} />],
      ]}
      actions={
        mayEdit
          ? ({ pass }) => (
              <ActionButton
                action={`${hrefTo(SECTION)}/remove`}
                title="Remove"
                label={`Remove ${passTitle(pass)}`}
                fields={{ id: bundleId, pass: pass.id }}
              />
            )
          : undefined
      }
    />
  );
}
