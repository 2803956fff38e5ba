import { type Client, freshAccount } from './api.ts';
import type { ModelTemplate } from './model.ts';
import type { TemplateInput } from './samples.ts';

const PROPERTIES = [
  { name: 'Name' },
  { name: 'Level', default: 'Basic' },
  { name: 'Class', type: 'select', options: ['First', 'Second'] },
] satisfies TemplateInput['additionalProperties'];

/** One template per rule, all in one project, so that passes can move between any two. */
const TEMPLATES: Partial<TemplateInput>[] = [
  { name: 'Plain', additionalProperties: [...PROPERTIES, { name: 'Paid', type: 'checkbox' }] },
  { name: 'Unique plate', additionalProperties: [{ name: 'Name' }, { name: 'Plate', unique: true }] },
  { name: 'Unique name', additionalProperties: PROPERTIES, enforceUniqueUserProvidedId: true },
  { name: 'Two at most', additionalProperties: [{ name: 'Level' }], maxPasses: 2, downloadPinEnabled: true },
  {
    name: 'Flight',
    type: 'boardingPass',
    transitType: 'PKTransitTypeAir',
    additionalProperties: [{ name: 'Class', type: 'select', options: ['First', 'Second'], required: true }],
  },
];

/** Creates an account with those templates. Returns also what the model must know of them. */
export async function modelAccount(): Promise<{ client: Client; templates: ModelTemplate[] }> {
  const client = await freshAccount({ timezone: 'Europe/Vienna' });
  const project = (await client.post('/api/v3/project', { name: 'Model' })).body.data.identifier;
  const make = async (sent: Partial<TemplateInput>): Promise<ModelTemplate> => {
    const id = await client.createTemplate({ ...sent, projectId: project, validValidationPlaces: ['Gate'] });
    const { data } = (await client.get(`/api/v2/pass-template/${id}/describe`)).body;
    return {
      id,
      name: data.name,
      properties: data.additionalProperties,
      air: sent.transitType === 'PKTransitTypeAir',
      pin: sent.downloadPinEnabled ?? false,
      uniqueNames: sent.enforceUniqueUserProvidedId ?? false,
      maxPasses: sent.maxPasses ?? Number.POSITIVE_INFINITY,
      places: ['Gate'],
    };
  };
  return { client, templates: await Promise.all(TEMPLATES.map(make)) };
}
