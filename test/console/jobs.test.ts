/** The command about background jobs. */

import { expect, it } from 'vitest'
import { table } from '../../src/console/command-table.ts'
import { jobsCommand } from '../../src/console/job-commands.ts'
import { openJobs, work } from '../jobs/open.ts'

const context = { progress: () => undefined, signal: new AbortController().signal, key: '' }

function opened() {
  const { jobs } = openJobs()
  const commands = table([jobsCommand(jobs)])
  const said = async (line: string) => {
    const { command, args: given } = commands.parse(line)
    const answer = await command.run(given, context)
    if (typeof answer === 'string') return [answer]
    const lines: string[] = []
    for await (const text of answer) lines.push(text)
    return lines
  }
  return { jobs, said, complete: commands.complete }
}

it('lists jobs newest first, with their progress', async () => {
  const { jobs, said } = opened()
  expect(await said('jobs')).toEqual(['no jobs'])
  jobs.submit(work('a', { progress: { done: 5, of: 10 } }))
  jobs.submit(work('b'))
  const lines = await said('jobs')
  expect(lines[0]).toMatch(/^\S+ {2}work {2}b {2}waiting$/)
  expect(lines[1]).toMatch(/^\S+ {2}work {2}a {2}waiting {2}\[#{15}\.{15}\] {2}50 % {2}5 of 10$/)
  expect(await said('jobs --limit 1')).toHaveLength(1)
  expect(await said('jobs --state failed')).toEqual(['no jobs'])
})

it('cancels a job, and says what is wrong', async () => {
  const { jobs, said, complete } = opened()
  const { id } = jobs.submit(work('a'))
  expect(await said(`jobs cancel ${id}`)).toEqual(['cancelled'])
  await expect(said(`jobs cancel ${id}`)).rejects.toThrow('the job has ended: it is cancelled')
  await expect(said('jobs cancel')).rejects.toThrow('usage: jobs cancel <id>')
  await expect(said('jobs --state odd')).rejects.toThrow('--state is one of')
  expect(complete('jobs c').candidates).toEqual(['cancel'])
  expect((await said('help jobs')).join('\n')).toContain('jobs [cancel <id>]')
})
