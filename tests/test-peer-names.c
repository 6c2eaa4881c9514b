/* Input of users of TorchRL and Gymnasium: their names of classes, and of arguments. */
#include "../src/reel.h"
#include "../src/core/object/property.h"
#include "../src/core/object/settings.h"

#include <string.h>

typedef GType (*Base) (void);

/* A row for every class that has a name of another library: all its arguments that mean something
 * here, and what they mean. */
static const struct
{
  Base base;
  const char *theirs;
  const char *ours;
} table[] = {
  { reel_storage_get_type, "ListStorage:max_size=10", "list:capacity=10" },
  { reel_storage_get_type, "LazyStackStorage:max_size=10,stack_dim=1",
    "lazy-stack:capacity=10,stack-dim=1" },
  { reel_storage_get_type, "CompressedListStorage:max_size=10,compression_level=1",
    "compressed-list:capacity=10,compression-level=1" },
  { reel_storage_get_type, "LazyTensorStorage:max_size=10,ndim=2", "tensor:capacity=10,ndim=2" },
  { reel_storage_get_type, "LazyMemmapStorage:max_size=10", "memmap:capacity=10" },
  { reel_storage_get_type,
    "LazyMemmapStorage:max_size=1e3,scratch_dir=rows,ndim=2,existsok=True,auto_cleanup=False",
    "memmap:capacity=1000,scratch-dir=rows,ndim=2,existsok=true,auto-cleanup=false" },
  { reel_sampler_get_type, "RandomSampler", "random" },
  { reel_sampler_get_type, "SamplerWithoutReplacement:drop_last=True,shuffle=False",
    "without-replacement:drop-last=true,shuffle=false" },
  { reel_sampler_get_type, "ConsumingSampler:max_sample_count=2", "consuming:max-sample-count=2" },
  { reel_sampler_get_type,
    "PrioritizedSampler:max_capacity=10,alpha=0.7,beta=0.9,eps=1e-6,dtype=float64,reduction=mean,"
    "max_priority_within_buffer=True",
    "prioritized:max-capacity=10,alpha=0.7,beta=0.9,eps=1e-6,dtype=float64,reduction=mean,"
    "max-priority-within-buffer=true" },
  { reel_sampler_get_type,
    "SliceSampler:num_slices=4,end_key=e,end_keys=[a,b],traj_key=t,truncated_key=c,init_key=i,"
    "cache_values=True,strict_length=False,pad_output=True",
    "slice:num-slices=4,end-key=e,end-keys=[a,b],traj-key=t,truncated-key=c,init-key=i,"
    "cache-values=true,strict-length=false,pad-output=true" },
  { reel_sampler_get_type,
    "SliceSamplerWithoutReplacement:slice_len=8,drop_last=True,shuffle=False",
    "slice-without-replacement:slice-len=8,drop-last=true,shuffle=false" },
  { reel_sampler_get_type,
    "PrioritizedSliceSampler:max_capacity=10,alpha=1,beta=1,num_slices=2,traj_key=t",
    "prioritized-slice:max-capacity=10,alpha=1,beta=1,num-slices=2,traj-key=t" },
  { reel_sampler_get_type, "StalenessAwareSampler:max_staleness=3,version_key=v",
    "staleness-aware:max-staleness=3,version-key=v" },
  { reel_sampler_get_type,
    "Sequence:length=4,episode_boundary=stop,done_key=d,burn_in=1,bootstrap=2,dilation=3",
    "sequence:length=4,episode-boundary=stop,done-key=d,burn-in=1,bootstrap=2,dilation=3" },
  { reel_writer_get_type, "RoundRobinWriter:track_generations=True",
    "round-robin:track-generations=true" },
  { reel_writer_get_type, "TensorDictRoundRobinWriter:track_generations=True",
    "tensordict-round-robin:track-generations=true" },
  { reel_writer_get_type, "TensorDictMaxValueWriter:rank_key=r,reduction=max",
    "max-value:rank-key=r,reduction=max" },
  { reel_writer_get_type, "ImmutableDatasetWriter", "immutable" },
  { reel_checkpointer_get_type, "TensorStorageCheckpointer", "tensor" },
  { reel_checkpointer_get_type, "FlatStorageCheckpointer:done_keys=[d],reward_keys=[r]",
    "flat:done-keys=[d],reward-keys=[r]" },
  { reel_checkpointer_get_type, "NestedStorageCheckpointer:done_keys=[d],reward_keys=[r]",
    "nested:done-keys=[d],reward-keys=[r]" },
  { reel_rollout_from_model_get_type,
    "RolloutFromModel:model=(exec:a),ref_model=(exec:b),reward_model=(exec:c),kl_coef=0.2,"
    "max_new_tokens=3,score_clip=2,kl_scheduler=(ConstantKLController),num_steps=4",
    "rollout:model=(exec:a),ref-model=(exec:b),reward-model=(exec:c),kl-coef=0.2,"
    "max-new-tokens=3,score-clip=2,kl-scheduler=(ConstantKLController),num-steps=4" },
  { reel_kl_controller_get_type, "ConstantKLController:kl_coef=0.2", "constant:kl-coef=0.2" },
  { reel_kl_controller_get_type, "AdaptiveKLController:init_kl_coef=0.2,target=3,horizon=10",
    "adaptive:kl-coef=0.2,target=3,horizon=10" },
  { reel_scheduler_get_type, "LinearScheduler:param_name=beta,final_value=1,num_steps=9",
    "linear:parameter=beta,final-value=1,num-steps=9" },
  { reel_scheduler_get_type,
    "StepScheduler:param_name=beta,gamma=2,n_steps=3,mode=additive,min_value=0,max_value=1",
    "step:parameter=beta,gamma=2,n-steps=3,mode=additive,min-value=0,max-value=1" },
  { reel_transform_get_type, "Compose", "compose" },
  { reel_transform_get_type, "CatFrames:N=4", "cat-frames:n=4" },
  { reel_transform_get_type,
    "CatFrames:N=4,dim=-3,in_keys=[pixels],out_keys=[p],padding=constant,padding_value=1,"
    "as_inverse=True,future=True,done_key=d,mask_key=m",
    "cat-frames:n=4,dim=-3,in-keys=[pixels],out-keys=[p],padding=constant,padding-value=1,"
    "as-inverse=true,future=true,done-key=d,mask-key=m" },
  { reel_transform_get_type,
    "CatTensors:in_keys=[a,b],out_key=c,dim=-1,del_keys=False,unsqueeze_if_oor=True,sort=False",
    "cat-tensors:in-keys=[a,b],out-key=c,dim=-1,del-keys=false,unsqueeze-if-oor=true,sort=false" },
  { reel_transform_get_type,
    "Stack:in_keys=[a,b],out_key=c,in_key_inv=d,out_keys_inv=[e,f],dim=-2,del_keys=False",
    "stack:in-keys=[a,b],out-key=c,in-key-inv=d,out-keys-inv=[e,f],dim=-2,del-keys=false" },
  { reel_transform_get_type, "ExcludeTransform:excluded_keys=[a,b],inverse=True",
    "exclude:keys=[a,b],inverse=true" },
  { reel_transform_get_type,
    "SelectTransform:selected_keys=[a],keep_rewards=False,keep_dones=False",
    "select:keys=[a],keep-rewards=false,keep-dones=false" },
  { reel_transform_get_type,
    "RenameTransform:in_keys=[a],out_keys=[b],in_keys_inv=[c],out_keys_inv=[d],create_copy=True",
    "rename:in-keys=[a],out-keys=[b],in-keys-inv=[c],out-keys-inv=[d],create-copy=true" },
  { reel_transform_get_type, "GrayScale:in_keys=[a],out_keys=[b]",
    "gray-scale:in-keys=[a],out-keys=[b]" },
  { reel_transform_get_type, "Resize:w=8,h=9,interpolation=nearest,in_keys=[a],out_keys=[b]",
    "resize:w=8,h=9,interpolation=nearest,in-keys=[a],out-keys=[b]" },
  { reel_transform_get_type,
    "ToTensorImage:from_int=True,unsqueeze=True,in_keys=[a],out_keys=[b],shape_tolerant=True",
    "to-tensor-image:from-int=true,unsqueeze=true,in-keys=[a],out-keys=[b],shape-tolerant=true" },
  { reel_transform_get_type, "RandomCropTensorDict:sub_seq_len=5,sample_dim=-1,mask_key=m",
    "random-crop:sub-seq-len=5,sample-dim=-1,mask-key=m" },
  { reel_transform_get_type,
    "MultiStepTransform:n_steps=3,gamma=0.9,reward_keys=[r],done_keys=[d],mask_key=m",
    "multi-step:n-steps=3,gamma=0.9,reward-keys=[r],done-keys=[d],mask-key=m" },
  { reel_transform_get_type, "ActionMask:action_key=a,mask_key=m",
    "action-mask:action-key=a,mask-key=m" },
  { reel_transform_get_type, "FlattenTensorDict", "flatten-tensordict" },
  { reel_transform_get_type,
    "PolicyAgeFilter:current_version=3,max_policy_lag=1,policy_version_key=v,strict=True",
    "policy-age-filter:current-version=3,max-policy-lag=1,policy-version-key=v,strict=true" },
  { reel_transform_get_type,
    "TensorDictPrimer:primers=(composite:h=(unbounded:shape=[2])),default_value=1.5",
    "primer:primers=(composite:h=(unbounded:shape=[2])),default-value=1.5" },
  { reel_transform_get_type,
    "TensorDictPrimer:primers=(composite:h=(unbounded:shape=[2])),random=True",
    "primer:primers=(composite:h=(unbounded:shape=[2])),random=true" },
  { reel_transform_get_type, "BinarizeReward:in_keys=[a],out_keys=[b]",
    "binarize-reward:in-keys=[a],out-keys=[b]" },
  { reel_transform_get_type,
    "ClipTransform:in_keys=[a],out_keys=[b],in_keys_inv=[c],out_keys_inv=[d],low=-1,high=2",
    "clip:in-keys=[a],out-keys=[b],in-keys-inv=[c],out-keys-inv=[d],low=-1,high=2" },
  { reel_transform_get_type, "DensifyReward:reward_key=r,done_key=d,reward_key_out=o,discount=0.9",
    "densify-reward:reward-key=r,done-key=d,reward-key-out=o,discount=0.9" },
  { reel_transform_get_type, "CenterCrop:w=8,h=9,in_keys=[a],out_keys=[b]",
    "center-crop:w=8,h=9,in-keys=[a],out-keys=[b]" },
  { reel_transform_get_type, "Crop:w=8,h=9,top=2,left=3,in_keys=[a],out_keys=[b]",
    "crop:w=8,h=9,top=2,left=3,in-keys=[a],out-keys=[b]" },
  { reel_transform_get_type,
    "DTypeCastTransform:dtype_in=int32,dtype_out=float32,in_keys=[a],in_keys_inv=[b]",
    "dtype-cast:dtype-in=int32,dtype-out=float32,in-keys=[a],in-keys-inv=[b]" },
  { reel_transform_get_type, "DoubleToFloat:in_keys=[a],in_keys_inv=[b]",
    "double-to-float:in-keys=[a],in-keys-inv=[b]" },
  { reel_transform_get_type,
    "TargetReturn:target_return=2.5,mode=constant,in_keys=[reward],out_keys=[g]",
    "target-return:target-return=2.5,mode=constant,in-keys=[reward],out-keys=[g]" },
  { reel_transform_get_type, "TimeMaxPool:in_keys=[a],out_keys=[b],T=3",
    "time-max-pool:in-keys=[a],out-keys=[b],t=3" },
  { reel_transform_get_type,
    "ActionDiscretizer:num_intervals=[3,4],action_key=a,out_action_key=b,categorical=False",
    "action-discretizer:num-intervals=[3,4],action-key=a,out-action-key=b,categorical=false" },
  { reel_transform_get_type, "FiniteTensorDictCheck", "finite-check" },
  { reel_transform_get_type, "FrameSkipTransform", "frame-skip" },
  { reel_transform_get_type, "NoopResetEnv", "noop-reset" },
  { reel_transform_get_type, "InitTracker:init_key=i", "init-tracker:init-key=i" },
  { reel_transform_get_type, "LineariseRewards:in_keys=[a],out_keys=[b],weights=[1,2]",
    "linearise-rewards:in-keys=[a],out-keys=[b],weights=[1,2]" },
  { reel_transform_get_type,
    "NextStateReconstructor:keys=[a],traj_key=t,done_key=d,step_count_key=s,fill_value=0,strict="
    "False",
    "next-state:keys=[a],traj-key=t,done-key=d,step-count-key=s,fill-value=0,strict=false" },
  { reel_transform_get_type,
    "ObservationNorm:in_keys=[a],out_keys=[b],loc=1,scale=2,standard_normal=True,eps=0.001",
    "observation-norm:in-keys=[a],out-keys=[b],loc=1,scale=2,standard-normal=true,eps=0.001" },
  { reel_transform_get_type, "Reward2GoTransform:in_keys=[a],out_keys=[b],gamma=0.9,done_key=d",
    "reward-to-go:in-keys=[a],out-keys=[b],gamma=0.9,done-key=d" },
  { reel_transform_get_type, "RewardClipping:in_keys=[a],out_keys=[b],clamp_min=-1,clamp_max=1",
    "reward-clipping:in-keys=[a],out-keys=[b],clamp-min=-1,clamp-max=1" },
  { reel_transform_get_type,
    "RewardScaling:in_keys=[a],out_keys=[b],loc=1,scale=2,standard_normal=True",
    "reward-scaling:in-keys=[a],out-keys=[b],loc=1,scale=2,standard-normal=true" },
  { reel_transform_get_type, "RewardSum:in_keys=[a],out_keys=[b],reset_keys=[c],reward_spec=True",
    "reward-sum:in-keys=[a],out-keys=[b],reset-keys=[c],reward-spec=true" },
  { reel_transform_get_type,
    "SignTransform:in_keys=[a],out_keys=[b],in_keys_inv=[c],out_keys_inv=[d]",
    "sign:in-keys=[a],out-keys=[b],in-keys-inv=[c],out-keys-inv=[d]" },
  { reel_transform_get_type,
    "StepCounter:max_steps=9,truncated_key=t,step_count_key=c,update_done=False",
    "step-counter:max-steps=9,truncated-key=t,step-count-key=c,update-done=false" },
  { reel_transform_get_type, "TrajCounter:out_key=n,repeats=2",
    "traj-counter:out-key=n,repeats=2" },
  { reel_transform_get_type, "VecNorm:in_keys=[a],out_keys=[b],decay=0.5,eps=0.01",
    "vec-norm:in-keys=[a],out-keys=[b],decay=0.5,eps=0.01" },
  { reel_transform_get_type,
    "VecNormV2:in_keys=[a],out_keys=[b],decay=0.5,eps=0.01,reduce_batch_dims=True",
    "vec-norm-v2:in-keys=[a],out-keys=[b],decay=0.5,eps=0.01,reduce-batch-dims=true" },
  { reel_transform_get_type, "VecNormV2:in_keys=[a],stateful=False",
    "vec-norm-v2:in-keys=[a],stateful=false" },
  { reel_transform_get_type, "FlattenObservation:first_dim=-3,last_dim=-2,in_keys=[a],out_keys=[b]",
    "flatten-observation:first-dim=-3,last-dim=-2,in-keys=[a],out-keys=[b]" },
  { reel_transform_get_type,
    "PermuteTransform:dims=[-1,-2],in_keys=[a],out_keys=[b],in_keys_inv=[c],out_keys_inv=[d]",
    "permute:dims=[-1,-2],in-keys=[a],out-keys=[b],in-keys-inv=[c],out-keys-inv=[d]" },
  { reel_transform_get_type,
    "SqueezeTransform:dim=-2,in_keys=[a],out_keys=[b],in_keys_inv=[c],out_keys_inv=[d]",
    "squeeze:dim=-2,in-keys=[a],out-keys=[b],in-keys-inv=[c],out-keys-inv=[d]" },
  { reel_transform_get_type,
    "UnsqueezeTransform:dim=-2,in_keys=[a],out_keys=[b],in_keys_inv=[c],out_keys_inv=[d]",
    "unsqueeze:dim=-2,in-keys=[a],out-keys=[b],in-keys-inv=[c],out-keys-inv=[d]" },
  { reel_transform_get_type,
    "HERReplayBuffer:her_ratio=0.5,strategy=final,goal_key=g,achieved_goal_key=a,reward_key=r,"
    "end_key=e",
    "hindsight:ratio=0.5,strategy=final,goal-key=g,achieved-goal-key=a,reward-key=r,end-key=e" },
  { reel_offline_to_online_buffer_get_type, "OfflineToOnlineReplayBuffer:offline_fraction=0.2",
    "offline-to-online:offline-fraction=0.2" },
  { reel_policy_get_type, "RandomPolicy", "random" },
  { reel_collector_get_type, "Collector:frames_per_batch=8,total_frames=64",
    "sync:frames-per-batch=8,total-frames=64" },
  { reel_collector_get_type,
    "Collector:frames_per_batch=8,max_frames_per_traj=5,init_random_frames=9,"
    "reset_at_each_iter=True,split_trajs=True,exploration_type=mode,set_truncated=True,"
    "return_same_td=True,extend_buffer=False,track_traj_ids=False,trajs_per_batch=2,"
    "trajs_per_write=3,traj_format=cat",
    "sync:frames-per-batch=8,max-frames-per-traj=5,init-random-frames=9,reset-at-each-iter=true,"
    "split-trajs=true,exploration-type=mode,set-truncated=true,return-same-td=true,"
    "extend-buffer=false,track-traj-ids=false,trajs-per-batch=2,trajs-per-write=3,"
    "traj-format=cat" },
  { reel_collector_get_type, "DistributedCollector:frames_per_batch=8,total_frames=64",
    "ranks:frames-per-batch=8,total-frames=64" },
  { reel_collector_get_type, "SyncDataCollector:frames_per_batch=8,total_frames=64",
    "sync:frames-per-batch=8,total-frames=64" },
  { reel_collector_get_type, "MultiSyncCollector:frames_per_batch=[4,7],cat_results=0",
    "multi-sync:frames-per-batch=[4,7],cat-results=0" },
  { reel_collector_get_type, "MultiSyncDataCollector:preemptive_threshold=0.5",
    "multi-sync:preemptive-threshold=0.5" },
  { reel_collector_get_type, "MultiAsyncCollector:total_frames=64", "multi-async:total-frames=64" },
  { reel_collector_get_type, "MultiaSyncDataCollector:total_frames=64",
    "multi-async:total-frames=64" },
  { reel_collector_get_type, "AsyncCollector:total_frames=64",
    "multi-async:workers=1,total-frames=64" },
  { reel_env_get_type,
    "CartPole-v1:sutton_barto_reward=True,max_episode_steps=9,masscart=2,masspole=1,force_mag=3,"
    "theta_threshold_radians=1,x_threshold=2,from_pixels=True,pixels_only=False",
    "CartPole-v1:sutton-barto-reward=true,max-episode-steps=9,mass-cart=2,mass-pole=1,force-mag=3,"
    "theta-threshold=1,x-threshold=2,from-pixels=true,pixels-only=false" },
  { reel_env_get_type, "MountainCar-v0:goal_velocity=0.1", "MountainCar-v0:goal-velocity=0.1" },
  { reel_env_get_type, "MountainCarContinuous-v0:goal_velocity=0.1",
    "MountainCarContinuous-v0:goal-velocity=0.1" },
  { reel_dataset_get_type,
    "AtariDQNExperienceReplay:dataset_id=Pong/5,batch_size=4,root=r,max_runs=2",
    "atari:dataset-id=Pong/5,batch-size=4,root=r,max-runs=2" },
  { reel_dataset_get_type, "GenDGRLExperienceReplay:dataset_id=maze-1M_E,batch_size=4,root=r",
    "gen_dgrl:dataset-id=maze-1M_E,batch-size=4,root=r" },
  { reel_dataset_get_type,
    "OpenXExperienceReplay:dataset_id=toto,batch_size=4,root=r,split_trajs=False",
    "openx:dataset-id=toto,batch-size=4,root=r,split-trajs=false" },
  { reel_dataset_get_type, "OpenMLExperienceReplay:name=shuttle,batch_size=4,root=r",
    "openml:dataset-id=shuttle,batch-size=4,root=r" },
  { reel_dataset_get_type,
    "VD4RLExperienceReplay:batch_size=4,split_trajs=True,totensor=False,image_size=64",
    "vd4rl:batch-size=4,split-trajs=true,totensor=false,image-size=64" },
  { reel_checkpointer_get_type, "H5StorageCheckpointer:done_keys=[d],reward_keys=[r]",
    "h5:done-keys=[d],reward-keys=[r]" },
  { reel_dataset_get_type,
    "D4RLExperienceReplay:dataset_id=hopper-medium-v2,batch_size=4,split_trajs=True,root=r,"
    "use_truncated_as_done=False",
    "d4rl:dataset-id=hopper-medium-v2,batch-size=4,split-trajs=true,root=r,"
    "use-truncated-as-done=false" },
  { reel_dataset_get_type, "MinariExperienceReplay:dataset_id=x-v0,batch_size=4,split_trajs=True",
    "minari:dataset-id=x-v0,batch-size=4,split-trajs=true" },
  { reel_dataset_get_type, "RobosetExperienceReplay:batch_size=4,split_trajs=True",
    "roboset:batch-size=4,split-trajs=true" },
};

/* The last lines are of classes that a library without HDF5 leaves out. */
#define OF_HDF5 4

static gsize
n_lines (void)
{
  g_autoptr (GObject) hdf5 = reel_object_new_from_text (REEL_TYPE_CHECKPOINTER, "h5", NULL, NULL);

  return G_N_ELEMENTS (table) - (hdf5 ? 0 : OF_HDF5);
}

/* Classes that no other library has, and environments, whose ids and arguments are Gymnasium's. */
static gboolean
is_ours_alone (GType type, const ReelId *ids)
{
  static const char *const ours[] = { "invert", "constant",   "recorded", "mlp", "exec",
                                      "npz",    "lane-range", "csv",      NULL };

  return g_type_is_a (type, REEL_TYPE_ENV) || g_strv_contains (ours, ids->id);
}

static ReelSettings
read_text (GType base, const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, ":", 2);
  ReelSettings settings;
  g_autoptr (GError) error = NULL;

  reel_settings_init (&settings, base, words[0], &error);
  g_assert_no_error (error);
  reel_settings_set_all (&settings, words[1] ? words[1] : "", &error);
  g_assert_no_error (error);
  return settings;
}

static void
test_arguments_mean_the_same (void)
{
  for (gsize i = 0; i < n_lines (); i++)
    {
      g_auto (ReelSettings) theirs = read_text (table[i].base (), table[i].theirs);
      g_auto (ReelSettings) ours = read_text (table[i].base (), table[i].ours);
      g_autofree GParamSpec **pspecs = NULL;
      guint n;

      g_assert_true (theirs.klass == ours.klass);
      pspecs = reel_property_list (ours.klass, &n);
      for (guint k = 0; k < n; k++)
        {
          g_autofree char *a =
              reel_property_format (pspecs[k], reel_settings_get (&theirs, pspecs[k]));
          g_autofree char *b =
              reel_property_format (pspecs[k], reel_settings_get (&ours, pspecs[k]));

          g_assert_cmpstr (a, ==, b);
          g_assert_true (reel_settings_are_set (&theirs, pspecs[k])
                         == reel_settings_are_set (&ours, pspecs[k]));
        }
    }
}

static gboolean
is_in_table (GType type)
{
  for (gsize i = 0; i < n_lines (); i++)
    {
      g_auto (ReelSettings) settings = read_text (table[i].base (), table[i].ours);

      if (G_OBJECT_CLASS_TYPE (settings.klass) == type)
        return TRUE;
    }
  return FALSE;
}

static void
assert_aliases_name_properties (ReelObjectClass *klass)
{
  for (const ReelAlias *alias = klass->aliases; alias && alias->name; alias++)
    {
      g_assert_nonnull (g_object_class_find_property (G_OBJECT_CLASS (klass), alias->property));
      g_assert_cmpstr (reel_property_resolve_alias (klass, alias->name), ==, alias->property);
      g_assert_null (g_object_class_find_property (G_OBJECT_CLASS (klass), alias->name));
    }
}

/* An unknown argument is answered with those there are. */
static void
assert_lists_arguments (GType base, ReelObjectClass *klass)
{
  g_autofree char *text = g_strdup_printf ("%s:device=cuda", klass->ids->id);
  g_autofree GParamSpec **pspecs = NULL;
  g_autoptr (GError) error = NULL;
  guint n;

  g_assert_null (reel_object_new_from_text (base, text, &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  pspecs = reel_property_list (klass, &n);
  for (guint i = 0; i < n; i++)
    g_assert_nonnull (strstr (error->message, pspecs[i]->name));
}

static guint
visit (GType base, GType type)
{
  guint n, n_seen = 0;
  g_autofree GType *children = g_type_children (type, &n);
  g_autoptr (GTypeClass) klass = g_type_class_ref (type);
  const ReelId *ids = G_TYPE_IS_ABSTRACT (type) ? NULL : REEL_OBJECT_CLASS (klass)->ids;

  if (ids && ids->id)
    {
      if (!is_in_table (type) && !is_ours_alone (type, ids))
        g_error ("%s has no line in the table", g_type_name (type));
      assert_aliases_name_properties (REEL_OBJECT_CLASS (klass));
      assert_lists_arguments (base, REEL_OBJECT_CLASS (klass));
      n_seen++;
    }
  for (guint i = 0; i < n; i++)
    n_seen += visit (base, children[i]);
  return n_seen;
}

static void
test_no_class_is_forgotten (void)
{
  for (gsize i = 0; i < n_lines (); i++)
    if (i == 0 || table[i].base != table[i - 1].base)
      g_assert_cmpuint (visit (table[i].base (), table[i].base ()), >, 0);
}

/* TorchRL's env over Gymnasium takes a name first, then arguments of what it makes. */
static void
test_wrapper_of_gymnasium_is_taken (void)
{
  static const struct
  {
    const char *theirs;
    const char *ours;
  } lines[] = {
    { "GymEnv:CartPole-v1", "CartPole-v1" },
    { "GymEnv: CartPole-v1 , seed=3,num_envs=2", "CartPole-v1:num-envs=2,seed=3" },
    { "GymEnv:env_name=Pendulum-v1,seed=3", "Pendulum-v1:seed=3" },
    { "gymenv:env-name=CartPole", "CartPole-v1" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autoptr (ReelObject) env =
          reel_object_new_from_text (REEL_TYPE_ENV, lines[i].theirs, NULL, NULL);
      g_autofree char *text = reel_object_to_text (env);

      g_assert_cmpstr (text, ==, lines[i].ours);
    }
}

static void
test_wrapper_of_nothing_is_refused (void)
{
  static const char *const texts[] = { "GymEnv", "GymEnv:", "GymEnv:seed=3", "GymEnv:NoSuch-v0" };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_object_new_from_text (REEL_TYPE_ENV, texts[i], &error, NULL));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
    }
}

/* The printed name of a class is a name of it. */
static void
test_printed_names_are_taken (void)
{
  for (gsize i = 0; i < n_lines (); i++)
    {
      g_auto (ReelSettings) settings = read_text (table[i].base (), table[i].ours);
      GType type = G_OBJECT_CLASS_TYPE (settings.klass);
      const char *name =
          g_type_is_a (type, REEL_TYPE_STORAGE)   ? REEL_STORAGE_CLASS (settings.klass)->peer_name
          : g_type_is_a (type, REEL_TYPE_SAMPLER) ? REEL_SAMPLER_CLASS (settings.klass)->peer_name
          : g_type_is_a (type, REEL_TYPE_WRITER)  ? REEL_WRITER_CLASS (settings.klass)->peer_name
          : g_type_is_a (type, REEL_TYPE_TRANSFORM)
              ? REEL_TRANSFORM_CLASS (settings.klass)->peer_name
              : NULL;
      g_auto (ReelSettings) named = { 0 };

      if (!name)
        continue;
      g_assert_true (reel_settings_init (&named, table[i].base (), name, NULL));
      g_assert_true (named.klass == settings.klass);
    }
}

static void
test_twice_is_refused (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=1,max_size=2", &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "given twice"));
}

static void
test_descriptions_name_them (void)
{
  g_autofree char *text = reel_object_describe (REEL_TYPE_STORAGE, "memmap", NULL);

  g_assert_nonnull (strstr (text, "(also max-size)"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/core/peer-names/arguments-mean-the-same", test_arguments_mean_the_same);
  g_test_add_func ("/core/peer-names/no-class-is-forgotten", test_no_class_is_forgotten);
  g_test_add_func ("/core/peer-names/wrapper-of-gymnasium-is-taken",
                   test_wrapper_of_gymnasium_is_taken);
  g_test_add_func ("/core/peer-names/wrapper-of-nothing-is-refused",
                   test_wrapper_of_nothing_is_refused);
  g_test_add_func ("/core/peer-names/printed-names-are-taken", test_printed_names_are_taken);
  g_test_add_func ("/core/peer-names/twice-is-refused", test_twice_is_refused);
  g_test_add_func ("/core/peer-names/descriptions-name-them", test_descriptions_name_them);
  return g_test_run ();
}
