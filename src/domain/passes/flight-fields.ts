import { z } from 'zod';
import { parseDateTime } from '../../platform/dates.ts';
import { PassName } from '../fields.ts';

const code = (pattern: RegExp, message: string) => z.string().trim().toUpperCase().regex(pattern, message);
const Airport = code(/^[A-Z]{3}$/, 'must be an IATA airport code (3 letters)');
const Carrier = code(/^[A-Z0-9]{2}$/, 'must be an IATA airline code (2 letters or digits)');
const FlightNumber = z
  .union([z.number(), z.string().regex(/^\d{1,4}$/, 'must be an integer')], {
    error: ({ input }) => (input === undefined ? 'is required' : 'must be an integer'),
  })
  .transform(Number)
  .pipe(z.number().int().min(0).max(9_999));

/** `Y-m-dTH:i`, local time of the airport it belongs to; kept as text, because only the airport knows the zone. */
const LocalTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/, 'must be a date in the format Y-m-dTH:i')
  .refine((text) => parseDateTime(text, 'UTC') !== undefined, 'is a date that does not exist');
const Required = PassName.pipe(z.string().min(1, 'must not be empty'));

/** The fields of a flight (specification, "Flight boarding pass fields"). */
export const FlightFields = z.object({
  originAirportCode: Airport,
  destinationAirportCode: Airport,
  localScheduledDepartureTime: LocalTime,
  localBoardingDateTime: LocalTime,
  passengerName: Required,
  carrierCode: Carrier,
  confirmationCode: Required,
  flightNumber: FlightNumber,
  originAirportGate: PassName.nullish(),
  originAirportTerminal: PassName.nullish(),
  destinationAirportGate: PassName.nullish(),
  destinationAirportTerminal: PassName.nullish(),
  localEstimatedOrActualDepartureDateTime: LocalTime.nullish(),
  localScheduledArrivalDateTime: LocalTime.nullish(),
  localEstimatedOrActualArrivalDateTime: LocalTime.nullish(),
  seatClass: PassName.nullish(),
  seatNumber: PassName.nullish(),
  sequenceNumber: PassName.nullish(),
  boardingGroup: PassName.nullish(),
  boardingPosition: PassName.nullish(),
});
export type FlightFields = z.infer<typeof FlightFields>;

export const FLIGHT_FIELD_NAMES = Object.keys(FlightFields.shape) as (keyof FlightFields)[];
