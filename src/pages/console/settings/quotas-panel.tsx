import type { QuotaView } from '../../../domain/quotas/list-quotas.ts';
import { ListTable } from '../list-table.tsx';
import { Panel } from '../parts.tsx';

/** What each quota counts. */
const TITLES: Record<QuotaView['quota'], string> = {
  passes: 'Passes',
  activePasses: 'Active passes (on a device)',
  messages: 'E-mails and text messages per day',
  requests: 'API requests per minute, all keys',
  subCustomers: 'Sub-customers',
};

/** The quotas of the account with their use. */
export function QuotasPanel({ quotas }: { quotas: QuotaView[] }) {
  return (
    <Panel id="quotas" title="Quotas">
      <p class="quiet">Usage includes sub-customers. The operator of the service sets the quotas.</p>
      <ListTable columns={['Quota', 'Used', 'Maximum']}>
        {quotas.map(({ quota, used, max }) => (
          <tr>
            <th scope="row">{TITLES[quota]}</th>
            <td data-label="Used">{used === null ? 'Not counted' : used.toLocaleString('en')}</td>
            <td data-label="Maximum">{max === null ? 'Unlimited' : max.toLocaleString('en')}</td>
          </tr>
        ))}
      </ListTable>
    </Panel>
  );
}
