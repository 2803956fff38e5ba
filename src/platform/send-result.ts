/**
 * Result of handing a message to a provider. `sent`: the provider accepted it; `note` adds a remark. `refused`: a retry
 * is pointless. `unavailable`: a retry may work; without a reply, the provider may have the message.
 */
export type SendResult =
  | { outcome: 'sent'; providerId: string | null; note?: string }
  | { outcome: 'refused'; reason: string }
  | { outcome: 'unavailable'; reason: string };
