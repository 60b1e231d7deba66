/** Command about background jobs. */

import { jobStates } from '../jobs/job.ts'
import { type Command, WrongCommand } from './command.ts'
import { firstWord, type JobsPart } from './console-parts.ts'
import { columns, progressBar } from './text-output.ts'

const [usualJobs, mostJobs] = [20, 1000]

/** Command `jobs`: lists jobs, or cancels one. */
export const jobsCommand = (part: JobsPart): Command => ({
  name: 'jobs',
  words: '[cancel <id>]',
  summary: 'lists background jobs, newest first, or cancels one',
  options: {
    state: {
      type: 'string',
      value: 'state',
      meaning: `only those that are ${jobStates.join(', ')}`,
    },
    limit: {
      short: 'n',
      type: 'string',
      value: 'number',
      meaning: `how many; ${usualJobs} when absent`,
      range: [1, mostJobs],
    },
  },
  complete: firstWord(() => ['cancel']),
  run: ({ words: [word, id], text, number: numberOf }) => {
    if (word !== undefined) {
      if (word !== 'cancel' || id === undefined) throw new WrongCommand('usage: jobs cancel <id>')
      const { state } = part.cancel(id)
      return state === 'cancelled' ? 'cancelled' : 'it ends at its next step'
    }
    const stateName = text('state')
    const state = jobStates.find((name) => name === stateName)
    if (stateName !== undefined && state === undefined)
      throw new WrongCommand(`--state is one of ${jobStates.join(', ')}`)
    const jobs = part.list({ state, limit: numberOf('limit') ?? usualJobs, offset: 0 })
    if (jobs.length === 0) return 'no jobs'
    return columns(
      jobs.map(({ id: name, kind, key, state: jobState, progress, problem }) => [
        name,
        kind,
        key,
        jobState,
        problem?.detail ?? (progress ? progressBar(progress.done, progress.of) : ''),
      ]),
    )
  },
})
