-- SPDX-License-Identifier: GPL-2.0-or-later
-- job_submit.lua - a check in slurmctld for the cores of the filesystem client
--
-- The gate refuses a task when it starts; this refuses the job when it is
-- submitted, by any means (sbatch without the plugin, scrontab, REST):
--   * --core-spec=0 .. MINIMUM-1 and --thread-spec are refused: they would give
--     the client's cores to the job
--   * a request for io-cores without the matching --core-spec gets it
--
-- Needs Slurm 26.05: before, a script could not see --core-spec. On older
-- versions leave it out and let the gate enforce (jobio.conf(5), gate).
-- Install: JobSubmitPlugins=lua in slurm.conf, this file as
-- /etc/slurm/job_submit.lua (or call jobio_guard() from the one you have).

-- The cores that the client of every node uses all the time: [option] io_cores_min,
-- or 0 where nodes have no spec set (CoreSpecCount, CpuSpecList).
local MINIMUM = 1

local function refuse(text, ...)
	slurm.log_user("jobio: option: " .. string.format(text, ...))
	return slurm.ERROR
end

-- The N of --io-cores=N as the plugin carries it. A user can set it: it is only
-- compared with --core-spec, or becomes the --core-spec.
local function io_cores(job)
	for _, entry in pairs(job.spank_job_env or {}) do
		local n = entry:match("^JOBIO_IO_CORES=(%d%d?)$")
		if n then return tonumber(n) end
	end
	return nil
end

function jobio_guard(job)
	local wanted, reserved = io_cores(job), job.core_spec

	if job.thread_spec ~= nil then
		return refuse("--thread-spec=%d: frees cores of the filesystem "
			.. "client; use --io-cores", job.thread_spec)
	end
	if reserved ~= nil and reserved < MINIMUM then
		return refuse("--core-spec=%d: the filesystem client of each node "
			.. "has %d cores; use --io-cores", reserved, MINIMUM)
	end
	if wanted ~= nil and reserved == nil then
		job.core_spec = wanted
	elseif wanted ~= nil and reserved ~= wanted then
		return refuse("--io-cores: '%d': does not go with --core-spec=%d",
			wanted, reserved)
	end
	return slurm.SUCCESS
end

function slurm_job_submit(job, partitions, uid)
	return jobio_guard(job)
end

function slurm_job_modify(job, record, partitions, uid)
	if job.core_spec ~= nil and job.core_spec < MINIMUM then
		return refuse("CoreSpec=%d: the filesystem client of each node has "
			.. "%d cores", job.core_spec, MINIMUM)
	end
	return slurm.SUCCESS
end
