export const HELP = `Runs one job of a pipeline on this machine, without a server.

usage: seaplane run -c FILE -j JOB [flags]

  -c, --config FILE      the pipeline, as fly set-pipeline takes it
  -j, --job JOB          the job to run
  -i, --input NAME=DIR   takes the input NAME (a get of the job) from a directory, instead of fetching it
  -o, --output NAME=DIR  copies the artifact NAME (an output of a task, or an input) into a directory at the end
  -v, --var NAME=TEXT    the value of a variable, as text
  -y, --yaml-var NAME=YAML    the value of a variable, as YAML
  -l, --load-vars-from FILE   variables from a YAML file; a later file wins, and -v and -y win over files
      --put              runs put steps, too; without it they are skipped
      --data-dir DIR     where images and caches stay for the next run
                         default ~/.cache/seaplane/run (for root: /var/cache/seaplane/run)
      --reset            deletes everything in the data directory, and exits
      --verbose          also logs what happens behind the job
      --help             this text

Inputs that are not given with -i are fetched in their newest version (or the pinned one); passed is ignored. Tags are
ignored: everything runs here. A set_pipeline step is skipped, because there is no server to set it on. Flags that
name something may be given several times. Caches of tasks and fetched images stay for the next run.

Ctrl-C aborts the job: its on_abort and ensure hooks run. A second Ctrl-C does not wait for them.

Exit status: 0 the job succeeded, 1 it failed, 2 it errored or could not be run, 3 it was aborted.
`;
