import type { QuotaView } from '../../../domain/quotas/list-quotas.ts';
import { ListTable } from '../list-table.tsx';
import { Panel } from '../parts.tsx';

/** What each quota counts. */
const TITLES: Record<QuotaView['quota'], string> = {
  passes: 'Passes',
  activePasses: 'Active passes (on a device)',
  messages: 'E-mails and SMS a day',
  requests: 'API requests a minute, all keys together',
  subCustomers: 'Sub-customers',
};

/** The quotas of the account with their use. */
export function QuotasPanel({ quotas }: { quotas: QuotaView[] }) {
  return (
    <Panel id="quotas" title="Quotas">
      <p class="quiet">The use of sub-customers counts, too. The operator of the service sets the quotas.</p>
      <ListTable columns={['Quota', 'Used', 'At most']}>
        {quotas.map(({ quota, used, max }) => (
          <tr>
            <th scope="row">{TITLES[quota]}</th>
            <td data-label="Used">{used === null ? 'Not counted' : used.toLocaleString('en')}</td>
            <td data-label="At most">{max === null ? 'Any number' : max.toLocaleString('en')}</td>
          </tr>
        ))}
      </ListTable>
    </Panel>
  );
}
