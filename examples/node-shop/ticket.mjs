/** The ticket that the shop sells. Its own name stands for its identifier in the API. */
export const TICKET = {
  userProvidedId: 'node-shop-ticket',
  name: 'Summer festival',
  description: 'Ticket for the summer festival',
  organizationName: 'Example Festival',
  type: 'eventTicket',
  barcode: { format: 'qr', useAutoIdForValue: true },
  additionalProperties: [{ name: 'Name', type: 'text' }],
  colors: { backgroundColor: '#14213d', foregroundColor: '#ffffff', labelColor: '#fca311' },
  fields: {
    primaryFields: [{ key: 'name', label: 'Name', value: '{Name}' }],
    secondaryFields: [{ key: 'order', label: 'Order', value: '{userProvidedId}' }],
  },
};
