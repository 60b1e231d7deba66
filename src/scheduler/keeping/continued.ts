/** What of a trigger goes on when it is sent again. */

import { isDeepStrictEqual } from 'node:util'
import { nextOfInterval } from '../timing/interval.ts'
import type { KeptTrigger, Timing } from '../trigger.ts'

/** The new trigger with the last firing and, where it means the same, the rhythm of the one in whose place it comes. */
export function continued(trigger: KeptTrigger, old: KeptTrigger | undefined): KeptTrigger {
  if (!old) return trigger
  const timing = inRhythm(trigger, old.timing) ? old.timing : trigger.timing
  const goesOn = isDeepStrictEqual(timing, old.timing) && trigger.status === old.status
  const { last } = old
  return {
    ...trigger,
    timing,
    ...(last !== undefined && { last }),
    // What is due at this very moment is not lost by being sent again.
    ...(goesOn && { since: old.since }),
  }
}

/**
 * Whether the first firing of an interval is one of another interval of the same length: that is what comes back when a list
 * of triggers is read and sent again; a later one is a wish to begin later. Counting months from the old anchor keeps the 31st.
 */
function inRhythm({ timing, since }: KeptTrigger, old: Timing): boolean {
  if (timing.kind !== 'interval' || old.kind !== 'interval') return false
  if (timing.unit !== old.unit || timing.value !== old.value) return false
  const [coming = 0, { anchor }] = [nextOfInterval(old, since), timing]
  return anchor <= coming && nextOfInterval(old, anchor - 1) === anchor
}
