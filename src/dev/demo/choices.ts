const DAY_MS = 86_400_000;
/** Days until a concert. */
const CONCERT_DAYS = 30;

/** A template of the demo account that the front page offers. */
export interface Choice {
  /** External ID of the seeded template. */
  templateName: string;
  label: string;
  /** The member that visitors can change. */
  change: { member: string; label: string; inputMode: 'text' | 'numeric' };
  /** Returns the fields of a new pass for a person; `now` is UTC milliseconds. */
  fields(name: string, now: number): Record<string, unknown>;
}

export const CHOICES: Choice[] = [
  {
    templateName: 'demo-boarding-pass',
    label: 'Boarding pass',
    change: { member: 'originAirportGate', label: 'Gate', inputMode: 'text' },
    fields: flight,
  },
  {
    templateName: 'demo-event-ticket',
    label: 'Concert ticket',
    change: { member: 'seat', label: 'Seat', inputMode: 'numeric' },
    fields: (guestName, now) => {
      const day = dayText(now + CONCERT_DAYS * DAY_MS);
      return { guestName, doorsAt: `${day} 19:00`, startsAt: `${day} 20:00` };
    },
  },
  {
    templateName: 'demo-store-card',
    label: 'Loyalty card',
    change: { member: 'storedValue', label: 'Beans', inputMode: 'numeric' },
    fields: (name) => {
      const [firstName, ...others] = name.split(' ');
      return { firstName, lastName: others.join(' '), storedValue: 240 };
    },
  },
  {
    templateName: 'demo-generic',
    label: 'Museum card',
    change: { member: 'guestsPerVisit', label: 'Guests', inputMode: 'numeric' },
    fields: (fullName) => ({ fullName }),
  },
];

/** Returns a flight for tomorrow morning. */
function flight(passengerName: string, now: number): Record<string, unknown> {
  const day = dayText(now + DAY_MS);
  return {
    passengerName,
    carrierCode: 'ZZ',
    flightNumber: 2184,
    confirmationCode: 'K7QX4M',
    originAirportCode: 'ZRH',
    originAirportTerminal: '2',
    originAirportGate: 'A72',
    destinationAirportCode: 'LIS',
    destinationAirportTerminal: '1',
    localBoardingDateTime: `${day}T09:40`,
    localScheduledDepartureTime: `${day}T10:25`,
    localScheduledArrivalDateTime: `${day}T12:20`,
    seatNumber: '14A',
    sequenceNumber: '0042',
    boardingGroup: '2',
  };
}

const dayText = (millis: number): string => new Date(millis).toISOString().slice(0, 10);
