# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
#
# bash completion for berth; installed as share/bash-completion/completions/berth.

_berth() {
    local commands="info check path plan monitor map contact new spheres srdf batch view help"
    local common="--json --quiet --verbose --threads --seed --package --srdf --robot --dae-units --strict --help"
    local check="--at --state --states --distance --range --all --margin --self-margin --delta --limits --summary --engine --spheres-only"
    local path="--at --state --segments --summary --margin --delta --limits --interpolation --moving --wrap --first-contact --all"
    path="$path --self-margin --no-clearance --time --tracking-error --engine --method --resolution --certificate --verify --spheres-only --report"
    local plan="--at --state --from --to --problems --planner --time --no-shorten --timed --wrap --goal-pose --group --weights --output --certificate --no-clearance"
    plan="$plan --margin --self-margin --delta --spheres-only --report"
    local contact="--at --state --all --method --follower --constrain --coupling --steps --dt --rate --levels --skip-allowed"
    contact="$contact --output --from --trust-network --period --silence --force-limit --not-real-time --priority --watchdog --cycles --seconds --test-fault"
    local monitor="--input --output --source --from --topic --frame --key --trust-network --cloud --map --choice --explain --fast --speed --rate --interpolate"
    monitor="$monitor --differences --objects-stand --auto-start --refine --fixed-buffers --latch-near --crawl --no-scale --limit-tolerance --jump-slack --index --reorder --rows --rows-every --rows-most --valid-for --skew"
    monitor="$monitor --good --tracking-error --model-error --robot-uncertainty --load-mass --capsules --boxes"
    monitor="$monitor --not-real-time --priority --watchdog --cycles --seconds --bench --log --stats --test-delay"
    monitor="$monitor --test-fault --report"
    local map="--structure --resolution --origin --levels --radius --unknown --outside --output --ball --balls --random --metric --all"
    map="$map --occupied --free --scan --sensor --range --esdf --gradient --slice --stats --summary --at --state --count --protrusion --report"
    local batch="--at --state --segments --output --clearance --resume --force --spheres-only --margin --self-margin --delta --limits"
    local info="--pairs --capsules --spheres-only"
    local spheres="--count --protrusion --effort --link --metric --time --output --srdf-out --compare --report"
    local srdf="--output --lint --sample --budget --allow-default"
    local new="--output --force"
    local view="--at --state --trajectory --port --no-open --html --png --monitor"
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    COMPREPLY=()

    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands --version --help" -- "$word")
        return
    fi
    case $before in
    help)
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
        return
        ;;
    --engine)
        mapfile -t COMPREPLY < <(compgen -W "boxes rss spheres" -- "$word")
        return
        ;;
    --method)
        mapfile -t COMPREPLY < <(compgen -W "second-order refined adaptive fixed overlap manifold elemental" -- "$word")
        return
        ;;
    --interpolation)
        mapfile -t COMPREPLY < <(compgen -W "linear cubic quintic" -- "$word")
        return
        ;;
    --moving)
        mapfile -t COMPREPLY < <(compgen -W "stand reach" -- "$word")
        return
        ;;
    map)
        mapfile -t COMPREPLY < <(compgen -W "build info query update convert" -- "$word")
        return
        ;;
    --structure)
        mapfile -t COMPREPLY < <(compgen -W "octree odm eodm dm edt lists all" -- "$word")
        return
        ;;
    --metric)
        mapfile -t COMPREPLY < <(compgen -W "l1 l2" -- "$word")
        return
        ;;
    --unknown)
        mapfile -t COMPREPLY < <(compgen -W "free occupied" -- "$word")
        return
        ;;
    --planner)
        mapfile -t COMPREPLY < <(compgen -W "rrt-connect sbl prm" -- "$word")
        return
        ;;
    --dae-units)
        mapfile -t COMPREPLY < <(compgen -W "obey ignore" -- "$word")
        return
        ;;
    --threads | --seed | --margin | --delta | --at | --state | --tracking-error | --resolution | --count | --protrusion | --effort | --link | --sample | --budget | --steps | --dt | --levels | --origin | --radius | --ball | --random)
        return
        ;;
    esac
    if [[ $word == -* ]]; then
        case $command in
        check) mapfile -t COMPREPLY < <(compgen -W "$common $check" -- "$word") ;;
        path) mapfile -t COMPREPLY < <(compgen -W "$common $path" -- "$word") ;;
        plan) mapfile -t COMPREPLY < <(compgen -W "$common $plan" -- "$word") ;;
        batch) mapfile -t COMPREPLY < <(compgen -W "$common $batch" -- "$word") ;;
        contact) mapfile -t COMPREPLY < <(compgen -W "$common $contact" -- "$word") ;;
        view) mapfile -t COMPREPLY < <(compgen -W "$common $view" -- "$word") ;;
        map) mapfile -t COMPREPLY < <(compgen -W "$common $map" -- "$word") ;;
        monitor) mapfile -t COMPREPLY < <(compgen -W "$common $monitor" -- "$word") ;;
        info) mapfile -t COMPREPLY < <(compgen -W "$common $info" -- "$word") ;;
        spheres) mapfile -t COMPREPLY < <(compgen -W "${common/ --robot/} $spheres" -- "$word") ;;
        srdf) mapfile -t COMPREPLY < <(compgen -W "${common/ --robot/} $srdf" -- "$word") ;;
        new) mapfile -t COMPREPLY < <(compgen -W "$common $new" -- "$word") ;;
        *) mapfile -t COMPREPLY < <(compgen -W "$common" -- "$word") ;;
        esac
    fi
}

# Everything else is a file: let readline complete it with the user's own settings.
complete -o default -F _berth berth
