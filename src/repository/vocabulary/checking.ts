/** Looks a vocabulary over when it comes; what is found is told, and never a reason to refuse it. */

import type { Log } from '../../log.ts'
import { integrity, summaryOf } from '../../skos/integrity.ts'
import { inTurns } from './in-turns.ts'
import type { Intake } from './intake.ts'

/** Counts per condition, as a fact; `''` when all is well. */
export async function checkIntegrity(log: Log, id: string, intake: Intake): Promise<string> {
  const findings = await integrity(() => inTurns(intake.chunks()))
  if (findings.length > 0) log.warn({ vocabulary: id, findings }, 'vocabulary.integrity')
  return summaryOf(findings)
}
