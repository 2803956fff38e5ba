import type { TemplateFacts } from '../../../domain/templates/list-template-facts.ts';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { TemplateList } from '../templates/template-list.tsx';

/** What an account is and has. */
export function OverviewPage({ frame, templates }: { frame: Frame; templates: TemplateFacts[] }) {
  const { account } = frame;
  const passes = templates.reduce((sum, { passCount }) => sum + passCount, 0);
  return (
    <AccountLayout frame={frame} title={account.name}>
      <dl class="facts">
        <div>
          <dt>Passes</dt>
          <dd class="figure">{passes.toLocaleString('en')}</dd>
        </div>
        <div>
          <dt>Templates</dt>
          <dd class="figure">{templates.length.toLocaleString('en')}</dd>
        </div>
        <div>
          <dt>Time zone</dt>
          <dd>{account.timezone}</dd>
        </div>
        <div>
          <dt>Account identifier</dt>
          <dd>
            <code>{account.id}</code>
          </dd>
        </div>
      </dl>
      <TemplateList accountId={account.id} templates={templates} />
    </AccountLayout>
  );
}
